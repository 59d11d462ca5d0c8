import { afterAll, vi } from 'vitest'

const works: (() => unknown)[] = []
let willCleanUp = false

/** Runs `work` after the last test of the file, even if a single test registered it. The newest work runs first. */
export function onFileEnd(work: () => unknown): void {
  if (!willCleanUp) throw new Error('Nothing would clean up: test/lanes/setup.ts is not a setup file of this lane')
  works.push(work)
}

/** Several test files run in one process, so none of them may leave anything behind for the next. */
export function cleanUpAfterFile(): void {
  willCleanUp = true
  afterAll(async () => {
    for (const work of works.splice(0).toReversed()) await work()
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    willCleanUp = false
  })
}
