import { v7 as uuidv7 } from 'uuid'
import { loadConfig } from '#config.ts'
import { type Context, createContext } from '#context.ts'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { serve } from '#http/server/server.ts'
import { isUnderV2 } from '#http/v2/register-v2.ts'
import type { Observer } from '#lib/observer.ts'
import { startWorker } from '#worker/worker.ts'
import { createTestDatabase, type TestDatabase } from './data/database.ts'
import { testEnvironment } from './environment.ts'
import { type Answer, type Call, call } from './network/http-client.ts'
import { onFileEnd } from './on-file-end.ts'
import { checkAgainstV1, checkAgainstV2 } from './openapi.ts'

export type TestApp = {
  url: string
  db: TestDatabase
  context: Context
  /** Sends a request with a key, or as the web app does with a session. Checks its answer against the OpenAPI document. */
  call(path: string, options?: Call & { key?: string; session?: string }): Promise<Answer>
}

/** A missing folder, so that tests do not depend on whether the web app was built. */
const noWeb = '/nonexistent'

type StartOptions = {
  webFolder?: string
  observer?: Observer
  db?: TestDatabase
  /** A free port, if the address must be known before, for example for PUBLIC_URL. */
  port?: number
}

/** The real service in this process, on a port of its own and, unless one is given, a database of its own. */
export async function startApp(
  env: Record<string, string> = {},
  { webFolder = noWeb, observer, db: given, port = 0 }: StartOptions = {},
): Promise<TestApp> {
  const db = given ?? (await createTestDatabase())
  const ctx = createContext(loadConfig(testEnvironment(db.url, env)), 'start', { observer })
  await ctx.start()
  const { basePath, trustedProxies, listCacheMiB, securityContact, publicUrl, allowHttpSignIn, listenAddress } =
    ctx.config
  const server = await serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB, securityContact, publicUrl, allowHttpSignIn, webFolder },
    { port, address: listenAddress, health: { readiness: async () => ({ status: 'ready' }) } },
  )
  onFileEnd(async () => {
    await server.stop()
    await ctx.close()
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    db,
    context: ctx,
    async call(path, { key, session, headers, ...options } = {}) {
      const credentials = {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(session !== undefined && {
          cookie: `voucher-session=${session}`,
          origin: url,
          'content-type': 'application/json',
        }),
      }
      const sent: Record<string, string> = { ...credentials, ...headers }
      const answer = await call(url + path, { ...options, headers: sent })
      const method = options.method ?? 'GET'
      if (isUnderV2(path)) checkAgainstV2(method, path, answer, sent.cookie !== undefined)
      else checkAgainstV1(method, path, answer)
      return answer
    },
  }
}

/** Starts a worker in the process of the app, on the same database. */
export async function startWorkerOf({ context }: TestApp): Promise<void> {
  const worker = await startWorker(context)
  onFileEnd(() => worker.stop())
}

export type TestWorker = {
  db: TestDatabase
  context: Context
  /** Adds the events of `count` creations, each in its own transaction. */
  notify(site: { id: number; name: string }, count?: number): Promise<void>
}

/** The real worker in this process, on a database of its own. */
export async function startTestWorker(env: Record<string, string> = {}): Promise<TestWorker> {
  const db = await createTestDatabase()
  const context = createContext(loadConfig(testEnvironment(db.url, env)), 'worker')
  await context.start()
  const worker = await startWorker(context)
  onFileEnd(async () => {
    await worker.stop()
    await context.close()
  })
  return {
    db,
    context,
    async notify(site, count = 1) {
      for (let i = 0; i < count; i++) {
        const created = { site, source: 'API: Test', vouchers: [{ id: uuidv7(), reference: null }] }
        await db.transaction((tx) => notifyCreated(tx, context.queue, created))
      }
    },
  }
}
