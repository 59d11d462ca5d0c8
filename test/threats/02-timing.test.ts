import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createAuthenticate, makeKey, toBase62 } from '#domain/keys/key.ts'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { isLong, median, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()
const { key } = await seedKey(app.db)

function knownPrefix(): string {
  const body = key.slice(0, 12) + makeKey().slice(12, -6)
  return body + toBase62(crc32(body), 6)
}

test('a known and an unknown prefix cost one statement each', async () => {
  for (const guess of [knownPrefix(), makeKey()]) {
    const statements: unknown[] = []
    const counted: Queryable = {
      query: (statement, values) => {
        statements.push(statement)
        return app.db.query(statement, values)
      },
    }
    expect(await createAuthenticate(counted)(guess, null)).toBeUndefined()
    expect(statements).toHaveLength(1)
  }
})

/** The share of pairs in which the first is slower. It is one half when the two cannot be distinguished. */
function separation(first: number[], second: number[]): number {
  return first.filter((ms, i) => ms > (second[i] as number)).length / first.length
}

test.runIf(isLong)('the time of an answer does not show whether a prefix is known (median of 5 rounds)', async () => {
  const time = async (guess: string) => {
    const begin = performance.now()
    expect((await call(`${app.url}/api/sites.php`, { headers: { 'x-api-key': guess } })).status).toBe(401)
    return performance.now() - begin
  }
  const rounds: number[] = []
  for (let round = 0; round < 6; round++) {
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let i = 0; i < 2_000; i++) {
      if (i % 2 === 0) known.push(await time(knownPrefix()))
      unknown.push(await time(makeKey()))
      if (i % 2 === 1) known.push(await time(knownPrefix()))
    }
    if (round > 0) rounds.push(separation(known, unknown)) // the first one warms up
  }
  report('a known prefix was slower in a share of', rounds)

  expect(median(rounds)).toBeGreaterThan(0.4)
  expect(median(rounds)).toBeLessThan(0.6)
})
