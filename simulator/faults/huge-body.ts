const mebibyte = 1024 * 1024
const hugeMebibytes = 64

/** A list of vouchers that nobody should read to its end. */
export function* hugeBody(opening: string): Iterable<string> {
  yield `${opening}[{}`
  const item = ',{"name":"huge","code":"0000000000"}'
  const piece = item.repeat(Math.floor(mebibyte / item.length))
  for (let sent = 0; sent < hugeMebibytes; sent++) yield piece
  yield ']}'
}
