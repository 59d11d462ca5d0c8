import pg from 'pg'
import { vi } from 'vitest'

/** What this process sends to PostgreSQL from now on, but for the rounds of the queue and of the usage counts. */
export function watchStatements(): string[] {
  const statements: string[] = []
  const send = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: any[]) {
    const text = String(args[0]?.text ?? args[0])
    if (!/pgboss|pg_listening_channels|api_key_days/.test(text)) statements.push(text)
    return (send as any).apply(this, args)
  })
  return statements
}
