import { setTimeout as pause } from 'node:timers/promises'
import { connectDatabase, type Database } from '#db/database.ts'
import { startPostgres, startStandby } from '#test/data/private-stores.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'

/** A migrated PostgreSQL and its standby. */
export type Pair = {
  /** Leads to the primary, and after the failover to the promoted standby. The service keeps this setting. */
  databaseUrl: string
  /** Direct connections for the test itself. */
  primary: Database
  standby: Database
  /** Waits until the standby has everything that is committed now. */
  catchUp(): Promise<void>
  /** From now on, commits of the primary do not reach the standby. */
  holdReplication(): void
  /** Stops the primary at once. After `afterMs` promotes the standby and leads the service to it. */
  failOver(afterMs: number): Promise<void>
}

export async function startPair({ isSynchronous = false } = {}): Promise<Pair> {
  const host = '127.0.0.1'
  const first = await startPostgres()
  await spawnCommand(first.url('postgres'), ['migrate'])
  const replication = await startTcpProxy({ host, port: first.port })
  const second = await startStandby(replication.port)
  const link = await startTcpProxy({ host, port: first.port })
  const primary = connect(first.url('postgres'))
  const standby = connect(second.url('postgres'))

  async function catchUp(): Promise<void> {
    const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn')
    const followed = 'select from pg_stat_replication where replay_lsn >= $1::pg_lsn'
    while ((await primary.query(followed, [rows[0]?.lsn])).rowCount !== 1) await pause(50)
  }

  await catchUp()
  if (isSynchronous) {
    await primary.query(`alter system set synchronous_standby_names = 'ANY 1 (*)'`)
    await primary.query('select pg_reload_conf()')
  }
  return {
    databaseUrl: `postgres://postgres@${host}:${link.port}/postgres`,
    primary,
    standby,
    catchUp,
    holdReplication: () => replication.hang(),
    async failOver(afterMs) {
      await first.stop()
      await pause(afterMs)
      await second.promote()
      link.leadTo(second.port)
    },
  }
}

function connect(url: string): Database {
  const db = connectDatabase({ url, poolSize: 2, onError: () => {} })
  onFileEnd(() => db.close())
  return db
}
