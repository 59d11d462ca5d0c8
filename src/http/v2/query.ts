/** The parameters of an address: a text for what is given once, a list for what is repeated. */
export function readQuery(url: string): Record<string, string | string[]> {
  const at = url.indexOf('?')
  const pairs = new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
  return Object.fromEntries(
    [...new Set(pairs.keys())].map((name) => {
      const values = pairs.getAll(name)
      return [name, values.length === 1 ? (values[0] as string) : values]
    }),
  )
}
