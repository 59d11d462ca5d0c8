import { afterAll } from 'vitest'

const works: (() => unknown)[] = []
afterAll(async () => {
  for (const work of works.toReversed()) await work()
})

/** Cleans up after the last test of the file, also what a single test began; the newest first. */
export function onFileEnd(work: () => unknown): void {
  works.push(work)
}
