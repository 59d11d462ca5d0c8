import { Agent } from 'undici'

export type SiteLoad = {
  url: string
  keys: string[]
  sites: number
  vouchersPerSite: number
  /** Requests per second of each kind, to sites that are chosen by chance. */
  lists: number
  creations: number
  revocations: number
}

export type LoadCounts = Record<'lists' | 'creations' | 'revocations', { done: number; failed: number; ms: number[] }>

/** If this many requests wait for an answer, the next ones are not sent and count as failed. */
const mostRunning = 500

/** Sends requests at fixed rates, whether or not earlier ones were answered. */
export function startLoad({ url, keys, sites, vouchersPerSite, ...rates }: SiteLoad): {
  counts: LoadCounts
  reset(): void
  stop(): Promise<void>
} {
  const agent = new Agent({ connections: 64, keepAliveTimeout: 30_000 })
  const none = () => ({ done: 0, failed: 0, ms: [] as number[] })
  const counts: LoadCounts = { lists: none(), creations: none(), revocations: none() }
  const running = new Set<Promise<unknown>>()
  let turn = 0

  async function call(method: string, path: string, body?: object): Promise<void> {
    const { origin } = new URL(url)
    const headers = {
      'x-api-key': keys[turn++ % keys.length] as string,
      ...(body && { 'content-type': 'application/json' }),
    }
    const reply = await agent.request({
      origin,
      method,
      path,
      headers,
      body: body ? JSON.stringify(body) : null,
    } as never)
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${await reply.body.text()}`)
    await reply.body.dump()
  }

  const site = () => 1 + Math.floor(Math.random() * sites)
  const work: Record<keyof LoadCounts, () => Promise<void>> = {
    lists: () => call('GET', `/api/vouchers.php?site_id=${site()}`),
    creations: () =>
      call('POST', '/api/vouchers.php', { site_id: site(), name: `Zimmer ${turn % 1_000}`, expire_minutes: 1_440 }),
    revocations: () => {
      const number = site()
      const code = String(number * 1_000 + vouchersPerSite - (turn % 5)).padStart(10, '0') // one that nobody has used yet
      return call('POST', '/api/v2/revocations', { filter: { site_id: [number], code } })
    },
  }

  function startOne(kind: keyof LoadCounts): void {
    const begin = performance.now()
    const count = counts[kind]
    if (running.size >= mostRunning) {
      count.failed += 1
      return
    }
    const run = work[kind]().then(
      () => {
        count.done += 1
        count.ms.push(performance.now() - begin)
      },
      (error) => {
        count.failed += 1
        if (count.failed <= 3) process.stderr.write(`${kind}: ${error.message}\n`)
      },
    )
    running.add(run)
    void run.finally(() => running.delete(run))
  }

  const startedAt = performance.now()
  const sent: Record<string, number> = {}
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1_000
    for (const kind of ['lists', 'creations', 'revocations'] as const)
      for (; (sent[kind] ?? 0) < seconds * rates[kind]; sent[kind] = (sent[kind] ?? 0) + 1) startOne(kind)
  }, 20)

  return {
    counts,
    reset() {
      for (const count of Object.values(counts)) Object.assign(count, none())
    },
    async stop() {
      clearInterval(timer)
      await agent.destroy() // the answers that are still missing no longer count
      await Promise.allSettled(running)
    },
  }
}
