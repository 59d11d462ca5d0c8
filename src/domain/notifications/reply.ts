const keptBytes = 4 * 1024
const maxBytes = 1024 * 1024

/** The beginning of what a receiver answered, and whether the answer came to its end. */
export async function readReply(
  body: AsyncIterable<Buffer>,
  url: string,
): Promise<{ reply: string; isComplete: boolean }> {
  const chunks: Buffer[] = []
  let bytes = 0
  let isComplete = false
  try {
    for await (const chunk of body) {
      if (bytes < keptBytes) chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) break
    }
    isComplete = bytes <= maxBytes
  } catch {
    // it broke off, or our time for it is over: what came is kept
  }
  const beginning = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
  return { reply: withoutAddress(printable(beginning), url), isComplete }
}

/** Of a stranger, for a table and a terminal: what would move the cursor or turn the line around becomes a mark. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

/** The address is a secret, and a receiver may repeat it. */
function withoutAddress(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values(), ...search.split(/[?&=]/)]
  const secrets = [...parts, ...parts.map(decoded)].filter((part) => part.length >= 6)
  return secrets.sort((a, b) => b.length - a.length).reduce((safe, secret) => safe.replaceAll(secret, '…'), text)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
