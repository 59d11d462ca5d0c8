import { vi } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { cleanUpAfterFile } from '#test/on-file-end.ts'

// Vitest runs this file before each test file.
cleanUpAfterFile()
waitPatiently()

/**
 * A wait ends at the earliest after a minute in CI, where other programs use the processors too: Vitest gives up after a second. In the
 * long run, a wait lasts as long as the test says.
 */
function waitPatiently(): void {
  const shared = vi as typeof vi & { isPatient?: boolean } // one for all files of a worker
  if (shared.isPatient) return
  shared.isPatient = true
  const { waitFor, waitUntil } = vi
  vi.waitFor = (callback, options) => waitFor(callback, patient(options))
  vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
}

function patient<T extends { timeout?: number }>(given: T | number = 60_000): T {
  const { timeout = 60_000, ...options } = typeof given === 'number' ? { timeout: given } : given
  return { ...options, timeout: isLong ? timeout : Math.max(timeout, 60_000) } as T
}
