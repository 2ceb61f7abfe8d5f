/**
 * The English voices of Kokoro v1.0 with the sha256 of their speaker files (510 × 256 float32, 522,240 bytes; the same
 * in kokoro-js 1.2.1 and in onnx-community/Kokoro-82M-v1.0-ONNX). The first is the default voice. An id begins with
 * the accent (a American, b British) and f or m for the voice's sound.
 */
export const kokoroSpeakers: readonly { readonly id: string; readonly sha256: string }[] = [
  { id: "af_heart", sha256: "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b" },
  { id: "af_alloy", sha256: "c4a6b876047fd7fb472edf4ebd63cfac7c3b958a7cae7c106e8f038ca6308c45" },
  { id: "af_aoede", sha256: "4a004c33430762e2461eedb2013fad808ef4ab3121f5300f554476caf58d8361" },
  { id: "af_bella", sha256: "f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b" },
  { id: "af_jessica", sha256: "a240a5e3c15b43563d6e923bdca8ef5613a23471d9b77653694012435df23bd8" },
  { id: "af_kore", sha256: "9be5221b6a941c04b561959b8ff0b06e809444dcc4ab7e75a7b23606f691819e" },
  { id: "af_nicole", sha256: "cd2191ab31b914ed7b318416b0e4440fdf392ddad9106a060819aa600a64f59a" },
  { id: "af_nova", sha256: "18778272caa0d0eebaea251c35fd635f038434f9eee5e691d02a174bd328414f" },
  { id: "af_river", sha256: "00a2bcf82b1d86e8f19902ede58c65ccf6c0e43b44b7d74fad54e5d8933c9c30" },
  { id: "af_sarah", sha256: "4409fbc125afabacc615d94db5398d847006a737b0247d6892b7a9a0007a2f0a" },
  { id: "af_sky", sha256: "4435255c9744f3f31659e0d714ab7689bf65d9e77ec1cce060f083912614f0b9" },
  { id: "am_adam", sha256: "162b035ed91cfc48b6046982184c645f72edcdd1b82843347f605d7bf7b15716" },
  { id: "am_echo", sha256: "3968b92c3c4cd1c4416dbded36c13eaa388a90d5788d02a13e4d781f5f8cf3c3" },
  { id: "am_eric", sha256: "e8b5be17edd1e3636901ce7598baafe2dc8dd8ff707a0c23bf9e461add7e2832" },
  { id: "am_fenrir", sha256: "c27989f741f7ee34d273a39d8a595cc0837d35f5ced9a29b7cc162614616df43" },
  { id: "am_liam", sha256: "52403be32fd047c6a44517cb0bcd6b134f2a18baa73e70ef41651e0eab921ade" },
  { id: "am_michael", sha256: "1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1" },
  { id: "am_onyx", sha256: "da5d135b424164916d75a68ffb4c2abce3d7d5ccc82dd1ee6cf447ce286145e6" },
  { id: "am_puck", sha256: "fcf73c989033e9233e0b98713eca600c8c74dcc1614b37009d5450ff4a2274a0" },
  { id: "am_santa", sha256: "61150cf726ab6c5ed7a99f90a304f91f5a72c00c592e89ec94e5df11c319227a" },
  { id: "bf_alice", sha256: "08afa6ba24da61ea5e8efa139e5aadc938d83f0a6da5a900adaf763ac1da5573" },
  { id: "bf_emma", sha256: "669fe0647f9dd04fcab92f1439a40eeb4c8b4ab1f82e4996fe3d918ce4a63b73" },
  { id: "bf_isabella", sha256: "3754352c4aaa46d17f27654ab7518d65b62ad6163a0f55a5f4330c2da2c4e94f" },
  { id: "bf_lily", sha256: "5e0ee32ebe64a467124976b14e69590746f1c4ce41a12b587a50c862edfea335" },
  { id: "bm_daniel", sha256: "6b3194bbceffb746733cbc22c8f593dd44e401a71d53895a2dca891bc595a1e8" },
  { id: "bm_fable", sha256: "f889083196807b4adb15e9204252165f503b8d33d3982e681c52443c49d798f1" },
  { id: "bm_george", sha256: "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc" },
  { id: "bm_lewis", sha256: "b8f671cef828c30e66fdf0b0756a76bba58f6bb3398cbbf27058642acbcedb97" },
];

export const speakerFileBytes = 522_240;
