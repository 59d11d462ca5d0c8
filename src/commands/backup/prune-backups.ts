import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The newest backups stay, whatever their age. */
const alwaysKept = 3
const dayMs = 86_400_000
/** The first bytes of PostgreSQL's custom format. */
const signature = 'PGDMP'

/**
 * Deletes backups in a folder that are older than this many days, except the newest ones. Only files with the name of a backup and the
 * content of one are deleted. Returns their paths.
 */
export async function pruneBackups(folder: string, keepDays: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.backup'))
  const files = await Promise.all(names.map((name) => describe(join(folder, name))))
  const backups = files.filter((file) => file.isBackup).toSorted((a, b) => b.writtenAt - a.writtenAt)
  const old = backups.slice(alwaysKept).filter(({ writtenAt }) => writtenAt < Date.now() - keepDays * dayMs)
  for (const { path } of old) await rm(path)
  return old.map(({ path }) => path)
}

async function describe(path: string): Promise<{ path: string; writtenAt: number; isBackup: boolean }> {
  const found = await stat(path)
  const writtenAt = found.mtimeMs
  if (!found.isFile()) return { path, writtenAt, isBackup: false }
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(signature.length), 0, signature.length, 0)
    return { path, writtenAt, isBackup: buffer.toString('latin1', 0, bytesRead) === signature }
  } finally {
    await handle.close()
  }
}
