import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandRefused } from './refusals.ts'

/**
 * `write` gets the path of an empty temporary file in the same folder, which only this user can read. When it has returned, the file is
 * flushed and renamed, so that `file` is always complete: the old file or the new one. Without `overwrites`, an existing file is an error.
 */
export async function replaceFile<T>(
  file: string,
  { overwrites }: { overwrites: boolean },
  write: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${file}.${randomUUID()}.part` // two containers may have the same process id
  try {
    await (await open(temporary, 'wx', 0o600)).close()
    const result = await write(temporary)
    await flush(temporary)
    if (!overwrites) await (await open(file, 'wx', 0o600)).close() // fails if somebody has made the file meanwhile
    await rename(temporary, file)
    await flush(dirname(file), 'r')
    return result
  } catch (error) {
    await rm(temporary, { force: true })
    const { syscall, message } = error as NodeJS.ErrnoException
    if (syscall === 'open' || syscall === 'rename')
      throw new CommandRefused(`${file} cannot be written: ${message}. Check the folder and its rights.`)
    throw error
  }
}

/** Waits until a file or a folder is on the disk, so that a power failure cannot lose it. */
async function flush(path: string, flags = 'r+'): Promise<void> {
  const handle = await open(path, flags)
  await handle.sync()
  await handle.close()
}
