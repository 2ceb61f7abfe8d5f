import type { Problem } from "@katari/contracts";
import type { Language } from "./catalogue.ts";

/** What the person reads for an error. */
export interface ErrorText {
  readonly message: string;
  readonly cure?: string;
}

/** What an error says: in the reader's language, with the server's own words where those are in another. */
export interface ShownError extends ErrorText {
  readonly original?: string;
}

/**
 * Japanese for the errors that the server tells in English, by code. They say the same in general words; the server's
 * own sentence, which names the particulars, is shown below them.
 */
export const errorTextsJa: Readonly<Record<Problem["code"], ErrorText>> = {
  "invalid-argument": { message: "指定に誤りがあります。", cure: "内容を直して、もう一度試してください。" },
  "not-found": { message: "見つかりません。", cure: "本棚に戻って選び直してください。" },
  "unsupported-format": {
    message: "この形式のファイルには対応していません。",
    cure: "EPUB、Markdown、テキストのいずれかを選んでください。",
  },
  "encrypted-source": {
    message: "この本は暗号化（DRM）されています。",
    cure: "コピー制限のないファイルを選んでください。",
  },
  "empty-source": { message: "この本には文章がありません。", cure: "別のファイルを選んでください。" },
  "damaged-source": {
    message: "ファイルが壊れています。",
    cure: "ファイルを入手し直してから、もう一度追加してください。",
  },
  "too-large": { message: "ファイルが大きすぎます。", cure: "大きな画像を減らすか、サーバーの上限を上げてください。" },
  "unknown-voice": { message: "その声はありません。", cure: "一覧にある声を選んでください。" },
  "voice-unavailable": { message: "その声は今使えません。", cure: "katari voices add で声を追加してください。" },
  "voice-damaged": {
    message: "声のファイルが壊れています。",
    cure: "katari voices verify で確かめ、追加し直してください。",
  },
  "output-exists": {
    message: "同じ名前のファイルがすでにあります。",
    cure: "別の名前にするか、古いファイルを移してください。",
  },
  "no-permission": { message: "書き込む権限がありません。", cure: "データフォルダーの権限を確かめてください。" },
  "disk-full": { message: "ディスクの空きがありません。", cure: "空きを作ってから、もう一度試してください。" },
  "in-use": { message: "ほかのプログラムが使用中です。", cure: "そのプログラムを終えてから、もう一度試してください。" },
  "port-taken": { message: "ポートがほかのプログラムに使われています。", cure: "別のポートを選んでください。" },
  "no-network": { message: "ネットワークにつながりません。", cure: "接続を確かめて、もう一度試してください。" },
  "unsupported-platform": { message: "この環境には対応していません。", cure: "対応している環境で実行してください。" },
  conflict: { message: "今の状態ではできません。", cure: "画面の状態を確かめて、もう一度試してください。" },
  unauthenticated: { message: "サインインしていません。", cure: "起動時に表示されたリンクから開いてください。" },
  forbidden: { message: "許可されていません。", cure: "起動時に表示されたアドレスから開いてください。" },
  incomplete: {
    message: "まだ音のない文があります。",
    cure: "読み上げの完了を待つか、完了した章だけを選んでください。",
  },
  "model-unavailable": { message: "音声モデルが応答しません。", cure: "しばらくすると自動で再開します。" },
  "model-failed": { message: "音声モデルが失敗しました。", cure: "もう一度試してください。" },
  "audio-suspect": { message: "できた音が検査に通りませんでした。", cure: "もう一度試してください。" },
  timeout: { message: "時間内に終わりませんでした。", cure: "もう一度試してください。" },
  cancelled: { message: "中止されました。", cure: "必要なら、もう一度始めてください。" },
  unavailable: { message: "今は利用できません。", cure: "少し待って、もう一度試してください。" },
  internal: {
    message: "予期しない問題が起きました。",
    cure: "もう一度試し、続くようならログを添えて報告してください。",
  },
};

/** The server's words in English; in Japanese those of the catalogue for the code, and the server's beside them. */
export function shownErrorOf(
  code: Problem["code"],
  message: string,
  cure: string | undefined,
  language: Language,
): ShownError {
  if (language === "ja") return { ...errorTextsJa[code], ...(message === "" ? {} : { original: message }) };
  return { message, ...(cure === undefined ? {} : { cure }) };
}
