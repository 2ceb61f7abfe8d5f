import { kokoroVocabulary } from "./kokoro-vocabulary.ts";

/** Two short sentences in Kokoro's symbols, about 2 and 4 seconds of speech: enough to compare, quick on slow cores. */
const sentences = ["ðə bˈWt lˈɛft æt dˈɔn.", "wˌʌn bˈI wˌʌn ðə lˈæmps wɜɹ lˈɪt, ænd ðə hˈOl stɹˈit lˈʊkt tə ðə sˈi."];

/** Token ids that the rewritten model is compared on. */
export const comparisonInputs: readonly (readonly number[])[] = sentences.map((sentence) =>
  Array.from(sentence, (symbol) => kokoroVocabulary[symbol] ?? 0),
);
