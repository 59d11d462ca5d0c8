/** Relative links and pictures of a page, such as `operating.md#people`. Code is left out. */
export function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]+`/g, 'code')
  const found = prose.matchAll(/\]\(([^)\s]+)[^)]*\)|<img src="([^"]+)"/g)
  return [...found]
    .map(([, link, picture]) => link ?? (picture as string))
    .filter((link) => !/^(https?|mailto):/.test(link))
}
