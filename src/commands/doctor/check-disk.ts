import { statfs } from 'node:fs/promises'
import type { Queryable } from '#db/database.ts'
import { parseDatabaseAddress } from '#lib/database-address.ts'
import type { Config } from '../../config.ts'
import { findServerFacts } from './doctor.queries.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('disk')

const gib = 1024 ** 3
/** Below these, the service or PostgreSQL may soon stop. */
const problemBelow = { bytes: 1 * gib, share: 0.05 }
const warningBelow = { bytes: 5 * gib, share: 0.15 }

type Room = { freeBytes: number; totalBytes: number }

/** The disk of the database can be seen only if PostgreSQL runs on this machine and tells where its data is. */
export async function checkDisk(db: Queryable, { databaseDirectUrl, databaseUrl }: Config): Promise<Finding> {
  const { dataDirectory, sizeBytes } = await findServerFacts(db)
  const cannotSee = (reason: string) =>
    ok(
      `The size of the database is ${inWords(sizeBytes)}. ${reason}, so watch the free space on the server of the database.`,
    )
  if (!isLocal(databaseDirectUrl ?? databaseUrl)) return cannotSee('It is on another machine')
  if (dataDirectory === null) return cannotSee('This role may not see where PostgreSQL keeps its data')
  try {
    const { bavail, blocks, bsize } = await statfs(dataDirectory)
    return judgeRoom({ freeBytes: bavail * bsize, totalBytes: blocks * bsize })
  } catch {
    return cannotSee('Its data cannot be seen from here')
  }
}

/** A disk with plenty of bytes is fine even if they are a small share of it. */
export function judgeRoom({ freeBytes, totalBytes }: Room): Finding {
  const isBelow = ({ bytes, share }: typeof problemBelow) =>
    freeBytes < bytes || (freeBytes < share * totalBytes && freeBytes < 10 * bytes)
  const message = `The disk of the database has ${inWords(freeBytes)} free of ${inWords(totalBytes)}.`
  const fix = 'Make room or enlarge the disk: when it is full, no voucher can be created.'
  if (isBelow(problemBelow)) return problem(message, fix)
  return isBelow(warningBelow) ? warning(message, fix) : ok(message)
}

function isLocal(url: string): boolean {
  return parseDatabaseAddress(url).hosts.every(({ host }) => /^(\/.*|localhost|127\..*|::1)$/.test(host))
}

function inWords(bytes: number): string {
  return bytes >= gib ? `${(bytes / gib).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
}
