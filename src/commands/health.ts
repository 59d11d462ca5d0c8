import { isReadOnly, readOnly } from '#db/database.ts'
import { findMissingMigration } from '#db/migrate.ts'
import type { Health, Readiness } from '#http/health.ts'
import type { Context } from '../context.ts'

/** The answer of `/readyz`. One check runs at a time; requests that arrive meanwhile share its result. */
export function createHealth(ctx: Pick<Context, 'db' | 'healthDb' | 'queueWatch' | 'log'>): Health {
  let asking: Promise<Readiness> | undefined

  async function ask(): Promise<Readiness> {
    if (ctx.queueWatch.silentQueues().length > 0) return notReady('the worker fetches no jobs')
    try {
      if (await findMissingMigration(ctx.healthDb)) return notReady('the database is not migrated')
      const reason = (await isReadOnly(ctx.healthDb)) ? readOnly : ctx.db.writesRefusedBecause()
      return reason === undefined ? { status: 'ready' } : { status: 'ready', writes: 'refused', reason }
    } catch (err) {
      ctx.log.warn({ err }, 'not ready')
      return notReady('the database is out of reach')
    }
  }

  return {
    readiness() {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

function notReady(reason: string): Readiness {
  return { status: 'not_ready', reason }
}
