/** The resources of the page, as URIs that the webview may load. */
interface PageParts {
  readonly script: string;
  readonly style: string;
  /** The source of its own files, for the content security policy. */
  readonly source: string;
  readonly nonce: string;
  /** VS Code's language, and the translations for it, by English text. */
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * The page: it may load and run only its own script and styles, and make no requests. Controls look for the nonce
 * if their own style needs it.
 */
export function pageHtml({ script, style, source, nonce, language, texts }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${source} 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${/^[\w-]+$/.test(language) ? language : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<title>GPUs</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="panel"><h1 class="unseen">GPUs</h1></main>
<script nonce="${nonce}" id="texts" type="application/json">${JSON.stringify(texts).replaceAll('<', '\\u003c')}</script>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
