/** The one document that a command prints with `--json`. */
export const jsonText = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;
