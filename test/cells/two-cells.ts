import type { Database } from '#db/database.ts'
import { importKey, type KeyRequest } from '#domain/keys/administer-keys.ts'
import { sha256Of } from '#domain/keys/key.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey, seedPerson, seedVoucher, testActor } from '#test/data/seed.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { type Service, startService } from '#test/service.ts'
import { host, hostOfCell, type RunningProxy, startRouter } from '../proxies/start-proxy.ts'

type Site = { id: number; name: string }

export type Cell = {
  letter: 'A' | 'B'
  db: Database
  key: string
  /** This site has one voucher, whose code is the name of the site. Nothing changes it. */
  quiet: Site
  /** Tests create vouchers on this site. */
  busy: Site
  controller: Simulator
  person: { email: string }
  /** Ends the api without a warning, and starts a new one at the same address. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops the processor time of the api, and gives it back. */
  freeze(): void
  thaw(): void
}

export type TwoCells = {
  A: Cell
  B: Cell
  router: RunningProxy
  /** A key that was created in B and copied to A. */
  copiedKey: string
  /** A key of A without a letter, and one of B. */
  oldKey: string
  importedKey: string
}

export const password = 'four random words here'

const ranges = { A: ['1', '1000000'], B: ['1000001', '2000000'] } as const
/** This key is in `deploy/router/keys.map` as one that cell B has imported. */
const importedKey = 'abc_1a2B3c4Dsecret'
const request: KeyRequest = { name: 'Chain', scope: 'write', rateLimit: 0, siteIds: undefined, expiresAt: null }

/** Two cells with a database and an api each, behind HAProxy with the files in `deploy`. */
export async function startTwoCells(): Promise<TwoCells> {
  const [A, B] = await Promise.all([startCell('A', `https://${host}`), startCell('B', `https://${hostOfCell.B}`)])
  const copied = await seedKey(B.db, { ...request, cell: 'B' })
  await importKey(A.db, testActor, { ...request, cell: 'A' }, { prefix: copied.prefix, sha256: sha256Of(copied.key) })
  const { key: oldKey } = await seedKey(A.db, request)
  await importKey(B.db, testActor, { ...request, cell: 'B' }, { prefix: 'abc_1a2B3c4D', sha256: sha256Of(importedKey) })
  const router = await startRouter({ A: [A.url, A.url], B: [B.url, B.url], keys: `${copied.prefix} site` })
  return { A, B, router, copiedKey: copied.key, oldKey, importedKey }
}

async function startCell(letter: 'A' | 'B', publicUrl: string): Promise<Cell & { url: string }> {
  const db = await createTestDatabase()
  const [first, last] = ranges[letter]
  await runCommand(db.url, ['migrate'], { env: { FIRST_SITE_NUMBER: first, LAST_SITE_NUMBER: last } })
  const controller = await startSimulator()
  const addSite = async (name: string) => ({ name, id: await seedControlledSite(db, await startSimulator(), { name }) })
  const quiet = await addSite(`Quiet ${letter}`)
  await seedVoucher(db, quiet.id, { code: quiet.name })
  const name = `Busy ${letter}`
  const busy = { name, id: await seedControlledSite(db, controller, { name }) }
  const { key } = await seedKey(db, { ...request, cell: letter })
  const person = await seedPerson(db, { password })

  const port = String(await freePort())
  const settings = { PORT: port, CELL: letter, PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1' }
  let api: Service
  const start = async () => {
    api = await startService(db.url, settings)
  }
  await start()
  return {
    letter,
    db,
    key,
    quiet,
    busy,
    controller,
    person,
    url: `http://127.0.0.1:${port}`,
    kill: async () => void (await api.stop('SIGKILL')),
    start,
    freeze: () => void api.process.kill('SIGSTOP'),
    thaw: () => void api.process.kill('SIGCONT'),
  }
}
