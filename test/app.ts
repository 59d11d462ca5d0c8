import { loadConfig } from '#config.ts'
import { type Context, createContext } from '#context.ts'
import { serve } from '#http/serve.ts'
import { isOfV2 } from '#http/v2/routes.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testEnvironment } from './environment.ts'
import { type Answer, type Call, call } from './http-client.ts'
import { onFileEnd } from './on-file-end.ts'
import { checkAgainstDocument } from './openapi.ts'
import { checkAgainstV2 } from './openapi-v2.ts'

export type TestApp = {
  url: string
  db: TestDatabase
  context: Context
  /** Sends a request and holds its answer against the OpenAPI document. */
  call(path: string, options?: Call & { key?: string }): Promise<Answer>
}

/** The real service in this process, on a port of its own and a database of its own. */
export async function startApp(env: Record<string, string> = {}): Promise<TestApp> {
  const db = await createTestDatabase()
  const ctx = createContext(loadConfig(testEnvironment(db.url, env)), 'worker')
  await ctx.clock.start()
  await ctx.queue.start()
  const { basePath, trustedProxies, listCacheMiB, listenAddress: address } = ctx.config
  const server = await serve(
    { ...ctx, basePath, trustedProxies, listCacheMiB },
    { port: 0, address, health: { readiness: async () => ({ status: 'ready' }) } },
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
    async call(path, { key, headers, ...options } = {}) {
      const withKey = key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` }
      const answer = await call(url + path, { ...options, ...(withKey && { headers: withKey }) })
      const check = isOfV2(path) ? checkAgainstV2 : checkAgainstDocument
      check(options.method ?? 'GET', path, answer)
      return answer
    },
  }
}
