const labels = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The name of a host in ASCII, for example `xn--mnchen-3ya.example` for `münchen.example`. Undefined if it is no name. */
export function toAsciiHost(name: string): string | undefined {
  // URL repairs some texts, such as those with line breaks or encoded characters. Such texts are no names.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(name)) return undefined
  const ascii = hostnameOf(name)
  // Names that end with a number are IP addresses in forms that not all programs read alike: 127.1 becomes 127.0.0.1.
  return labels.test(ascii) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii) ? ascii : undefined
}

/** The browser has no `domainToASCII`, and checks addresses too. */
function hostnameOf(name: string): string {
  try {
    return new URL(`http://${name}`).hostname
  } catch {
    return ''
  }
}
