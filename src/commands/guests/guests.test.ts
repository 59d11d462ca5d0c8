import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { holdRestored } from '#domain/holding/hold.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { seedBatch, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { readZip } from '#test/read-zip.ts'

const db = await createTestDatabase()
const site = await seedSite(db, { name: 'Nord' })
const folder = mkdtempSync(join(tmpdir(), 'guests-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = (content?: string) => {
  const file = join(folder, String(++files))
  if (content !== undefined) writeFileSync(file, content)
  return file
}

beforeEach(async () => {
  for (const table of ['vouchers', 'batch_rows', 'batches', 'erasure_items', 'erasures', 'audit', 'hold'])
    await db.query(`delete from ${table}`)
})

const run = (args: string[], stdin?: string) => runCommand(db.url, args, stdin === undefined ? {} : { stdin })
const seed = (voucher: object = {}) =>
  seedVoucher(db, site, { name: '2026-11-14_Familie Huber', reference: 'HU-4711', status: 'expired', ...voucher })
const huber = ['--site', String(site), '--name', 'Familie Huber']
const erase = (...more: string[]) => run(['guests', 'erase', ...huber, '--reason', 'guest_asked', ...more])
const places = () => findText(db, 'Huber', 'HU-4711')

test('`guests show` says where a guest is stored, also by a reference and from standard input', async () => {
  await seed()
  const byName = await run(['guests', 'show', 'hub'])
  const byReference = await run(['guests', 'show', '-', '--json'], 'HU-4711\n')
  const none = await run(['guests', 'show', 'Niemand'])

  expect(byName.stdout).toMatch(/Nord +Familie Huber +HU-4711 +1 +0 .*vouchers 1; controller 1$/m)
  expect(byReference.json()).toMatchObject([
    { site, name: 'Familie Huber', vouchers: 1, stored: [{ place: 'vouchers' }, {}] },
  ])
  expect(none.stdout).toBe('none\n')
  expect(await findText(db, 'Niemand')).toEqual([])
})

test('`guests export` writes a file that only its owner can read, and replaces no file', async () => {
  await seed()
  const file = newFile()
  const first = await run(['guests', 'export', ...huber, '--to', file])
  const again = await run(['guests', 'export', ...huber, '--to', file])
  const unknown = await run(['guests', 'export', '--site', String(site), '--name', 'Huber', '--to', newFile()])

  expect([first.exitCode, statSync(file).mode & 0o777]).toEqual([0, 0o600])
  expect(readZip(readFileSync(file))['guest-data.json']).toContain('Familie Huber')
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining(`${file} exists already. Choose another`)])
  const elsewhere = await run(['guests', 'export', ...huber, '--to', join(folder, 'missing', 'a.zip')])
  expect(elsewhere.stderr).toContain(`The folder ${join(folder, 'missing')} does not exist. Create it`)
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing is stored about this guest')])
})

test('`guests erase` asks, erases and prints the receipt; the audit has no name', async () => {
  await seed()
  const asked = await runCommand(db.url, ['guests', 'erase', ...huber, '--reason', 'other'], { stdin: 'n\n' })
  const kept = await places()
  const erased = await erase('--yes', '--json')

  expect([asked.exitCode, asked.stderr]).toEqual([
    1,
    expect.stringContaining('Stored: vouchers 1; controller 1. Vouchers that still work: 0.'),
  ])
  expect(kept).not.toEqual([])
  expect(erased.json()).toMatchObject({
    reason: 'guest_asked',
    vouchers: 1,
    entries: 1,
    waiting: 0,
    remains: [{ place: 'controller' }],
  })
  expect(await places()).toEqual([])
  const { rows } = await db.query(`select actor_kind, details from audit where action = 'guests.erased'`)
  expect(rows).toEqual([
    { actor_kind: 'command', details: { reason: 'guest_asked', guests: 1, vouchers: 1, valid: 0 } },
  ])
})

test('a name from standard input needs --yes, because nobody can answer then', async () => {
  await seed()
  const args = ['guests', 'erase', '--site', String(site), '--name', '-', '--reason', 'mistake']
  const refused = await run(args, 'Familie Huber\n')
  const erased = await run([...args, '--yes'], 'Familie Huber\n')

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Add --yes.')])
  expect([erased.exitCode, await places()]).toEqual([0, []])
  expect((await run([...args, '--yes'], '\n')).stderr).toContain('The name is empty.')
})

test('a voucher that still works is erased only with --after-end, and then after its end', async () => {
  await seed({ status: 'valid' })
  const refused = await erase('--yes')
  const waiting = await erase('--yes', '--after-end')

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('or use --after-end')])
  expect(waiting.stdout).toMatch(/^waiting +1$/m)
})

test('receipts have ids and no names, oldest first, and those since a time', async () => {
  const id = await seed()
  const batch = await seedBatch(db, site)
  await db.query(`update batch_rows set controller_name = '2026-11-14_Familie Huber'`)
  await erase('--yes')
  await db.query(`update erasures set at = now() - interval '2 days'`)
  await seed()
  await erase('--yes')
  const lines = (await run(['guests', 'receipts'])).stdout.trim().split('\n')
  const recent = (await run(['guests', 'receipts', '--since', '1d'])).stdout.trim().split('\n')

  expect([lines.length, recent.length]).toEqual([3, 2])
  expect(recent[0]).toBe(lines[1])
  const seals = [lines[2], recent[1]].map((line) => JSON.parse(line as string).seal)
  expect(seals).toEqual([
    { count: 2, at: expect.any(String), since: null },
    { count: 1, at: expect.any(String), since: expect.any(String) },
  ])
  expect(JSON.parse(lines[0] as string)).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    by: { kind: 'command', id: null, name: expect.any(String) },
    reason: 'guest_asked',
    finished_at: expect.any(String),
    site_ids: [site],
    vouchers: [`${site}-${id}`],
    requests: [],
    rows: [{ batch_id: `${site}-${batch}`, number: 1 }],
  })
})

test('after a restore, `resume` needs the receipts, or the word that no guest was erased', async () => {
  const taken = new Date('2026-11-18T02:00:00Z')
  const hold = () => holdRestored(db, testActor, taken)
  await hold()
  const silent = await run(['resume', '--yes'])
  const no = await run(['resume'], 'n\n')
  const held = await db.query('select from hold')
  const none = await run(['resume', '--yes', '--none-erased'])
  await run(['hold'])
  const byHand = await run(['resume', '--yes'])

  expect([silent.exitCode, silent.stderr]).toEqual([1, expect.stringContaining('Use --erased <file>')])
  expect(silent.stderr).toContain('The restored data goes up to 2026-11-18T02:00:00.000Z.')
  expect([no.exitCode, no.stderr, held.rowCount]).toEqual([
    1,
    expect.stringContaining('Continue without receipts? Answer yes only if no guest was erased since then.'),
    1,
  ])
  expect([none.exitCode, byHand.exitCode]).toEqual([0, 0])
})

test('receipts erase what a restored record has again, mark vouchers that still work, and change nothing when repeated', async () => {
  const [ended, valid, late] = [await seed(), await seed(), await seed()]
  await seedBatch(db, site)
  await db.query(`update batch_rows set controller_name = '2026-11-14_Familie Huber'`)
  await erase('--yes')
  const receipts = newFile((await run(['guests', 'receipts'])).stdout)
  for (const table of ['erasure_items', 'erasures']) await db.query(`delete from ${table}`)
  const restored = `name = 'Familie Huber', controller_name = '2026-11-14_Familie Huber', reference = 'HU-4711', erased_at = null`
  await db.query(`update vouchers set ${restored} where id in ($1, $2)`, [ended, valid])
  await db.query(`update vouchers set status = 'valid' where id = $1`, [valid])
  await db.query('delete from vouchers where id = $1', [late]) // the backup did not know it
  await db.query(`update batch_rows set controller_name = '2026-11-14_Familie Huber', erased_at = null`)
  const other = await seed({ name: '2026-11-14_Meier', reference: 'M-1' })
  await holdRestored(db, testActor, new Date('2026-11-18T02:00:00Z'))
  const resumed = await run(['resume', '--yes', '--erased', receipts])
  const after = (await db.query('select id, name, erasure_id is not null as marked from vouchers order by name, id'))
    .rows
  const again = await run(['resume', '--yes', '--erased', receipts])

  expect(resumed.stderr).toContain(
    'Receipts of erasures: 1. New to the restored data: 1. Entries erased again: 2. Erased after their end: 1.',
  )
  expect(after).toEqual([
    { id: valid, name: 'Familie Huber', marked: true },
    { id: other, name: 'Meier', marked: false },
    { id: ended, name: '–', marked: false },
  ])
  expect(again.stderr).toContain('New to the restored data: 0. Entries erased again: 0. Erased after their end: 1.')
  expect(
    (await run(['guests', 'receipts', '--json'])).stdout.match(/"vouchers":\[([^\]]*)/)?.[1]?.split(','),
  ).toHaveLength(3)
})

test('a file with an invalid line is rejected as a whole, and the message names the line', async () => {
  await seed()
  await erase('--yes')
  const [good, end] = (await run(['guests', 'receipts'])).stdout.split('\n') as [string, string]
  await db.query('delete from erasure_items')
  await db.query('delete from erasures')
  await holdRestored(db, testActor, new Date())
  const changed = (change: object) => JSON.stringify({ ...JSON.parse(good), ...change })
  const bad = [
    'no JSON',
    '{}',
    'null',
    good.slice(0, 80),
    changed({ id: 'x' }),
    changed({ at: 'yesterday' }),
    changed({ by: null }),
    changed({ reason: 'because' }),
    changed({ site_ids: [0] }),
    changed({ vouchers: ['1'] }),
    changed({ vouchers: [`x-${uuidv7()}`] }),
    changed({ rows: [{ batch_id: `1-${uuidv7()}`, number: 'x' }] }),
    changed({ requests: undefined }),
  ]
  for (const line of bad) {
    const { exitCode, stderr } = await run(['resume', '--yes', '--erased', newFile(`${good}\n${line}\n${end}\n`)])
    expect([line, exitCode, stderr]).toEqual([line, 1, expect.stringContaining('Line 2 is not a receipt')])
  }
  expect((await db.query('select from erasures')).rowCount).toBe(0)
  expect((await db.query('select from hold')).rowCount).toBe(1)
  expect((await run(['resume', '--yes', '--erased', join(folder, 'missing')])).stderr).toContain(
    'cannot be read (ENOENT)',
  )
})

const taken = new Date('2026-11-18T02:00:00Z')
const inOneMinute = () => new Date(Date.now() + 60_000)
const resumeWith = (content: string) => run(['resume', '--yes', '--erased', newFile(content)])

test('a file of receipts that is not complete is rejected, and the message says what to do', async () => {
  for (const reference of ['HU-4711', 'HU-4712']) {
    await seed({ reference })
    await erase('--yes')
  }
  const all = (await run(['guests', 'receipts'])).stdout
  const since = (await run(['guests', 'receipts', '--since', '1d'])).stdout
  const [first, second, end] = all.split('\n') as [string, string, string]
  await holdRestored(db, testActor, taken)
  const rejected = [
    ['', 'The file of receipts is empty. Use another copy.'],
    ['\n', 'The file of receipts is empty.'],
    [`${first}\n`, 'The end of the receipts is missing after line 1'],
    [`${first}\n${second}`, 'The end of the receipts is missing after line 2'],
    [`${first}\n${end}\n`, 'has 2 receipts, but it has 1'],
    [`${all}${all}`, 'Line 4 is after the end of the receipts'],
    [`${end}\n${first}\n`, 'Line 2 is after the end of the receipts'],
    [since, 'because it was written with --since. Use a file that was written without it.'],
  ] as const
  for (const [content, sentence] of rejected) {
    const { exitCode, stderr } = await resumeWith(content)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)])
    expect(stderr).toContain('Nothing was changed.')
  }
  expect((await db.query('select from hold')).rowCount).toBe(1)
  expect((await resumeWith(all)).exitCode).toBe(0)
})

test('receipts from before the backup are rejected', async () => {
  const none = (await run(['guests', 'receipts'])).stdout
  await seed()
  await erase('--yes')
  const all = (await run(['guests', 'receipts'])).stdout
  await db.query(`update erasures set at = $1`, [taken])
  await holdRestored(db, testActor, taken)
  const fewer = await resumeWith(none)
  await holdRestored(db, testActor, inOneMinute())
  const older = await resumeWith(all)

  expect([fewer.exitCode, fewer.stderr]).toEqual([1, expect.stringContaining('receipts that the file lacks: 1')])
  expect([older.exitCode, older.stderr]).toEqual([1, expect.stringContaining('has all of them')])
  expect(older.stderr).toContain('nobody was erased since: run `voucher-service resume --none-erased`')
  expect((await db.query('select from hold')).rowCount).toBe(1)
})

test('receipts that the restored data lacks are newer than the data, even if its time is given too late', async () => {
  await seed()
  await erase('--yes')
  const all = (await run(['guests', 'receipts'])).stdout
  for (const table of ['erasure_items', 'erasures']) await db.query(`delete from ${table}`)
  await holdRestored(db, testActor, inOneMinute())
  const resumed = await resumeWith(all)

  expect([resumed.exitCode, resumed.stderr]).toEqual([0, expect.stringContaining('New to the restored data: 1.')])
})

test('an erasure in the restored data since the restore need not be in the file', async () => {
  const none = (await run(['guests', 'receipts'])).stdout
  await holdRestored(db, testActor, taken)
  await seed()
  await erase('--yes')

  expect(await resumeWith(none)).toMatchObject({ exitCode: 0 })
})

test('`guests receipts --to` replaces a file only by a complete one, and never after a restore', async () => {
  await seed()
  await erase('--yes')
  const file = newFile('{"old":1}\n')
  const refused = await run(['guests', 'receipts', '--to', file, '--since', '1d'])
  const outOfReach = await runCommand('postgresql://127.0.0.1:1/none', ['guests', 'receipts', '--to', file])
  await holdRestored(db, testActor, taken)
  const restored = await run(['guests', 'receipts', '--to', file])
  const kept = readFileSync(file, 'utf8')
  await db.query('delete from hold')
  const written = await run(['guests', 'receipts', '--to', file])
  const nowhere = await run(['guests', 'receipts', '--to', join(folder, 'missing', 'receipts.jsonl')])

  expect([refused.exitCode, outOfReach.exitCode, kept]).toEqual([2, 1, '{"old":1}\n'])
  expect([restored.exitCode, restored.stderr]).toEqual([1, expect.stringContaining('Nothing was written. Run')])
  expect([written.exitCode, written.stdout, written.stderr]).toEqual([0, '', `Written: ${file}. Receipts: 1.\n`])
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
  expect([statSync(file).mode & 0o777, readdirSync(folder).filter((name) => name.endsWith('.part'))]).toEqual([
    0o600,
    [],
  ])
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining('Check the folder and its rights.')])
})
