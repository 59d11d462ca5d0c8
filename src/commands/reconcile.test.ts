import { expect, test } from 'vitest'
import { withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
const run = (...args: string[]) => runCommand(app.db.url, args)

/** A site whose record has lost one of its two vouchers. Its controller also has a voucher that somebody made by hand. */
async function loseHistory({ driver, flavour }: (typeof dialects)[0], more = {}) {
  const simulator = await startSimulator('--flavour', flavour)
  const site = await seedControlledSite(app.db, simulator, { driver })
  await app.db.query('update sites set tags_names = true where id = $1', [site])
  const create = async (name: string): Promise<string> => {
    const body = JSON.stringify({ site_id: site, name, expire_minutes: 60, ...more })
    return (await app.call('/api/vouchers.php', { method: 'POST', key, body })).json().code
  }
  const [kept, lost] = [await create('Kept'), await create('Lost')]
  await simulator.addVoucher({ internalReference: 'default', name: 'By hand', timeLimitMinutes: 60 })
  await app.db.query('delete from vouchers where site_id = $1 and code = $2', [site, lost])
  const valid = async () =>
    (await app.call(`/api/vouchers.php?site_id=${site}`, { key }))
      .json()
      .vouchers.filter(({ status }: { status: string }) => status === 'valid')
      .map(({ voucher_code }: { voucher_code: string }) => voucher_code)
  const onController = async () =>
    (await simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
  return { site, simulator, kept, lost, valid, onController }
}

test.each(dialects)('$dialect: lost vouchers are listed, counted and adopted', async (dialect) => {
  const { site, kept, lost, valid, onController } = await loseHistory(dialect)
  const listed = await run('reconcile', '--site', String(site), '--json')
  const counted = await run('sites', 'list', '--json')
  const adopted = await run('reconcile', '--site', String(site), '--adopt', '--yes')
  const again = await run('reconcile', '--site', String(site), '--json')

  expect([listed.exitCode, listed.json()]).toMatchObject([
    0,
    [{ site, name: expect.stringMatching(/^\d{4}-\d\d-\d\d_Lost$/), code: `${lost.slice(0, 5)}-${lost.slice(5)}` }],
  ])
  expect(counted.json().find(({ id }: { id: number }) => id === site).unrecorded).toBe(1)
  expect([adopted.exitCode, adopted.stderr]).toEqual([0, 'Recorded: 1.\n'])
  expect(again.json()).toEqual([])
  expect((await valid()).toSorted()).toEqual([kept, lost].toSorted())
  expect(await onController()).toHaveLength(3)
})

test('two commands at once record a lost voucher once, and no voucher counts as unrecorded', async () => {
  const { site, kept, lost, valid } = await loseHistory(dialects[0] as (typeof dialects)[0])
  const adopt = ['reconcile', '--site', String(site), '--adopt', '--yes']
  await Promise.all([run(...adopt), run(...adopt)])
  const counted = await run('sites', 'list', '--json')

  expect((await valid()).toSorted()).toEqual([kept, lost].toSorted())
  expect(counted.json().find(({ id }: { id: number }) => id === site).unrecorded).toBe(0)
})

test('--withdraw deletes only the lost vouchers on the controller, and only after a yes', async () => {
  const { site, kept, lost, valid, onController } = await loseHistory(dialects[0] as (typeof dialects)[0])
  const refused = await runCommand(app.db.url, ['reconcile', '--site', String(site), '--withdraw'], { stdin: 'n\n' })
  expect(await onController()).toContain(lost)
  const withdrawn = await runCommand(app.db.url, ['reconcile', '--site', String(site), '--withdraw'], {
    stdin: 'y\n',
  })
  await withdrawDue(app.context, site)

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was done')])
  expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([0, expect.stringContaining('on the controller now.')])
  expect(await onController()).not.toContain(lost)
  expect([await onController(), await valid()]).toEqual([[kept, expect.any(String)], [kept]])
})

test('--withdraw says that the worker waits while the service is held', async () => {
  const { site, lost, onController } = await loseHistory(dialects[0] as (typeof dialects)[0])
  const withdraw = ['reconcile', '--site', String(site), '--withdraw', '--yes']
  await run('hold')
  const held = await run(...withdraw)
  await withdrawDue(app.context, site)
  const left = await onController()
  await run('resume', '--yes')

  expect(held.stderr).toBe(
    'Recorded: 1. The service is held. The worker deletes them on the controller after `voucher-service resume`.\n',
  )
  expect(left).toContain(lost)
})

test('a site that cannot be read is reported with exit code 1', async () => {
  const { simulator, site } = await loseHistory(dialects[0] as (typeof dialects)[0])
  await app.db.query('update sites set active = false where id <> $1', [site])
  await simulator.behave({ booting: true })
  const listed = await run('reconcile')

  expect([listed.exitCode, listed.stdout]).toEqual([1, 'none\n'])
  expect(listed.stderr).toBe(
    `Site ${site} (Hauptgebäude) could not be read: failed. Check it with \`voucher-service sites test ${site}\`.\n`,
  )
})

test.each([
  [['reconcile', '--site', '999999'], 'No site has the id 999999. List all sites with `voucher-service sites list`.'],
  [['reconcile', '--adopt', '--withdraw'], 'Use either --adopt or --withdraw, not both.'],
  [['sites', 'set', '1'], 'Nothing to change was given. `voucher-service sites set --help` lists the options.'],
  [
    ['sites', 'set', '999999', '--adopt'],
    'No site has the id 999999. List all sites with `voucher-service sites list`.',
  ],
])('%j is rejected with one message', async (args, sentence) => {
  const { exitCode, stderr } = await run(...args)

  expect([exitCode, stderr]).toEqual([1, `voucher-service: ${sentence}\n`])
})

test('`sites set` changes the given settings and writes the audit', async () => {
  const { site } = await loseHistory(dialects[0] as (typeof dialects)[0])
  const set = await run('sites', 'set', String(site), '--adopt', '--no-tag-names', '--json')
  const { rows } = await app.db.query(
    `select action, details from audit where target_id = $1 order by at desc limit 1`,
    [String(site)],
  )

  expect(set.json()).toMatchObject({ id: site, adopts_vouchers: true, tags_names: false })
  expect(rows).toEqual([
    {
      action: 'site.changed',
      details: expect.objectContaining({ changes: { tagsNames: false, adoptsVouchers: true } }),
    },
  ])
})
