import { vi } from 'vitest'
import { cleanUpAfterFile } from '#test/on-file-end.ts'

// Vitest runs this file before each test file.
cleanUpAfterFile()
waitPatiently()

/** Without a time, `vi.waitFor` gives up after a second, which is not enough on a busy machine. */
function waitPatiently(): void {
  const shared = vi as typeof vi & { isPatient?: boolean } // one for all files of a worker
  if (shared.isPatient) return
  shared.isPatient = true
  const { waitFor } = vi
  vi.waitFor = (callback, options = {}) =>
    waitFor(callback, { timeout: 60_000, ...(typeof options === 'number' ? { timeout: options } : options) })
}
