/**
 * Words of general English that Misaki's dictionaries lack or have in a form that does not suit narration, and the
 * small words and numbers that must be right without any dictionary. Symbols are Misaki's. Keys in lower case.
 */
const list = `
hm hˈʌm
hmm hˈʌm
hmmm hˈʌm
mm mˈʌm
mmm mˈʌm
shh ʃˈʌʃ
sh ʃˈʌʃ
psst psˈɪst
pst psˈɪst
tsk tˈɪsk
brr bɹˈɜɹ
brrr bɹˈɜɹ
grr ɡɹˈɜɹ
ugh ˈʌɡ
pfft fˈɪt
phew fjˈu
eh ˈA
ieee ˌItɹˈɪpᵊl ˈi
etc ɛtsˈɛTəɹə
'em əm
'tis tɪz
'twas twˈʌz
'twould twʊd
'twill twɪl
'n' ən
'cause kˈʌz
'til tˈɪl
'bout əbˈWt
'round əɹˈWnd
o' ə
ol' ˈOl
th' ð
missus mˈɪsɪz
fiancé fiˌɑnsˈA
fiancée fiˌɑnsˈA
crème kɹˈɛm
brûlée bɹulˈA
résumé ɹˈɛzəmˌA
protégé pɹˈOTəʒˌA
d'you ʤˈu
d'ye dˈi
'e i
'im ɪm
cetera sˈɛTəɹə
et ɛt
al ˈæl
'mongst əmˈʌŋst
'nother nˈʌðəɹ
jalapeño hˌɑləpˈAnjO
piñata pɪnjˈɑTə
señor sAnjˈɔɹ
señora sAnjˈɔɹə
señorita sˌAnjəɹˈiTə
niño nˈinjO
beyoncé biˌɑnsˈA
pokémon pˈOkAmˌɑn
miz mˈɪz
messers mˈɛsəɹz
simon sˈImən
battersea bˈæTəɹsi
tübingen tˈubɪŋən
rosebery ɹˈOzbəɹi
ichthyosaurus ˌɪkθiəsˈɔɹəs
`;

/** Small words and number words: used where there is no dictionary at all. */
const core = `
the ði
to tu
of ʌv
and ænd
in ɪn
is ɪz
was wʌz
it ɪt
he hi
she ʃi
we wi
you ju
they ðA
that ðæt
his hɪz
her hɜɹ
on ˌɔn
at æt
as æz
for fɔɹ
with wɪð
one wˈʌn
two tˈu
three θɹˈi
four fˈɔɹ
five fˈIv
six sˈɪks
seven sˈɛvən
eight ˈAt
nine nˈIn
ten tˈɛn
eleven əlˈɛvən
twelve twˈɛlv
thirteen θˌɜɹtˈin
fourteen fˌɔɹtˈin
fifteen fˌɪftˈin
sixteen sˌɪkstˈin
seventeen sˌɛvəntˈin
eighteen ˌAtˈin
nineteen nˌIntˈin
twenty twˈɛnti
thirty θˈɜɹTi
forty fˈɔɹTi
fifty fˈɪfti
sixty sˈɪksti
seventy sˈɛvənti
eighty ˈATi
ninety nˈInti
zero zˈɪɹO
hundred hˈʌndɹəd
thousand θˈWzᵊnd
million mˈɪljən
point pˈYnt
are ɑɹ
were wɜɹ
be bi
have hæv
said sˈɛd
says sˈɛz
do dˈu
does dˈʌz
been bɪn
who hˈu
what wˌʌt
there ðɛɹ
their ðɛɹ
your jʊɹ
my mI
by bI
me mi
`;

/** Names of the letters. */
const letters = `
a ˈA
b bˈi
c sˈi
d dˈi
e ˈi
f ˈɛf
g ʤˈi
h ˈAʧ
i ˈI
j ʤˈA
k kˈA
l ˈɛl
m ˈɛm
n ˈɛn
o ˈO
p pˈi
q kjˈu
r ˈɑɹ
s ˈɛs
t tˈi
u jˈu
v vˈi
w dˈʌbᵊlju
x ˈɛks
y wˈI
z zˈi
`;

function parse(text: string): ReadonlyMap<string, string> {
  const entries = text
    .trim()
    .split("\n")
    .map((line): [string, string] => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    });
  return new Map(entries);
}

export const builtInLexicon = parse(list);
export const coreWords = parse(core);
export const letterNames = parse(letters);
