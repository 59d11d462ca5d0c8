import type { Queryable } from '#db/database.ts'
import type { Config } from '../../config.ts'
import type { Role } from '../../context.ts'
import { removeConnectionLimit } from '../terminal/failures.ts'
import { findConnectionLimits } from './doctor.queries.ts'
import { type Finding, findingsOf } from './finding.ts'

/**
 * Compares the connections that one process may open with the limits of the server, the role and the database. Behind a pooler
 * (DATABASE_DIRECT_URL) nothing is compared, because processes share its connections.
 */
export async function checkConnections(db: Queryable, config: Config, kind: Role): Promise<Finding[]> {
  if (config.databaseDirectUrl !== undefined) return []
  const { role, database, ofServer, ofRole, ofDatabase } = await findConnectionLimits(db)
  const limits = [
    { most: ofServer, who: `PostgreSQL accepts ${ofServer}`, fix: 'raise max_connections' },
    {
      most: ofRole ?? Infinity,
      who: `the role "${role}" may open ${ofRole}`,
      fix: removeConnectionLimit('role', role),
    },
    {
      most: ofDatabase ?? Infinity,
      who: `the database "${database}" accepts ${ofDatabase}`,
      fix: removeConnectionLimit('database', database),
    },
  ]
  const lowest = limits.reduce((low, limit) => (limit.most < low.most ? limit : low))
  const needed = countConnections(config, kind)
  if (needed <= lowest.most) return []
  return [
    findingsOf('database').warning(
      `One process may open ${needed} connections, but ${lowest.who}.`,
      `Lower DATABASE_POOL_SIZE, or ${lowest.fix}.`,
    ),
  ]
}

/** docs/operating.md, “Health checks”, lists these connections. */
function countConnections({ databasePoolSize, metricsPort }: Config, kind: Role): number {
  const [queue, health, metrics] = [4, 1, metricsPort === undefined ? 0 : 1]
  const ofApi = kind === 'worker' ? 0 : Math.ceil(databasePoolSize / 2) + 2 + 4 // requests, searches, reports
  const ofWorker = kind === 'api' ? 0 : 1 // the listener for new jobs
  return databasePoolSize + queue + health + metrics + ofApi + ofWorker
}
