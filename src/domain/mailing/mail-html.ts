const styles = {
  body: 'margin:0;padding:24px;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;font-size:16px;line-height:1.5;color:#1f2430;background:#ffffff',
  step: 'margin:24px 0 4px;font-weight:600',
  plain: 'margin:0 0 8px',
  code: 'margin:8px 0 16px;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;font-weight:700;letter-spacing:1px;white-space:nowrap',
  small: 'margin:32px 0 0;font-size:13px;color:#5b6272',
}

/** A message as HTML, from blocks such as paragraphs. */
export function htmlOf(language: string, subject: string, blocks: string[]): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="${styles.body}">
${blocks.join('\n')}
</body>
</html>
`
}

export function paragraph(style: keyof typeof styles, ...lines: string[]): string {
  return `<p style="${styles[style]}">${lines.map(escapeHtml).join('<br>')}</p>`
}

/** A paragraph with a link that shows its address. */
export function linkParagraph(url: string): string {
  return `<p style="margin:16px 0;overflow-wrap:anywhere"><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}
