import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { accountOfServers, freePort } from '#test/data/local-servers.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Machine, startMachines } from './machines.ts'

const files = fileURLToPath(new URL('../../deploy/patroni/', import.meta.url))
const names = ['a', 'b', 'c']
/** A machine that returns may need a rewind and a restart, on a busy machine. */
const wholeWithinMs = 240_000
const password = 'a-long-random-password'

/** As Patroni reports it. */
type Member = { name: string; role: string; state: string; timeline?: number; lag?: number | string }

export type Way = 'several hosts' | 'HAProxy'

/** Three machines with etcd, Patroni and PostgreSQL, and HAProxy beside the service. */
export type Cluster = {
  machines: Machine[]
  url(way: Way): string
  members(): Promise<Member[]>
  /** The machine whose PostgreSQL accepts writes, as Patroni says. */
  leader(): Promise<Machine>
  synchronousStandby(): Promise<Machine>
  /** Waits until there is a leader with two standbys that follow it, one of them synchronous. */
  whole(): Promise<void>
  /** Unplugs the machine and kills everything on it. */
  lose(machine: Machine): Promise<void>
  startEtcd(machine: Machine): void
  startPatroni(machine: Machine): void
  /** Plugs the machine in again and starts its programs. */
  bringBack(machine: Machine): Promise<void>
  switchOver(from: Machine, to: Machine): Promise<void>
  /** Makes this machine the leader, whatever is lost by that. */
  forceFailover(to: Machine): Promise<void>
  /** Asks the PostgreSQL of a machine from this machine itself, even if it is unplugged. */
  acceptsWrites(machine: Machine): Promise<boolean>
  /** Runs a statement on one machine as the superuser. */
  query<Row extends pg.QueryResultRow>(machine: Machine, text: string): Promise<Row[]>
}

export async function startCluster({ isSynchronous = true } = {}): Promise<Cluster> {
  checkPrograms()
  const folder = mkdtempSync('/dev/shm/vouchers-ha-')
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const { uid = 0, gid = 0 } = accountOfServers()
  chmodSync(folder, 0o755)
  const machines = await startMachines(names)
  for (const machine of machines) {
    mkdirSync(join(folder, machine.name))
    chownSync(join(folder, machine.name), uid, gid)
    writeFileSync(
      join(folder, machine.name, 'patroni.yml'),
      patroniFile(machine, join(folder, machine.name), isSynchronous),
    )
  }
  const proxyPort = await startHaproxy(folder)
  const log = (machine: Machine, program: string) => join(folder, machine.name, `${program}.log`)

  function startEtcd(machine: Machine): void {
    const env = readEnvironment(etcdFile(machine, join(folder, machine.name)))
    machine.start('etcd', [], { ...env, PATH: process.env['PATH'] ?? '' }, log(machine, 'etcd'))
  }

  function startPatroni(machine: Machine): void {
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', HOME: join(folder, machine.name) }
    machine.start('patroni', [join(folder, machine.name, 'patroni.yml')], env, log(machine, 'patroni'))
  }

  async function members(): Promise<Member[]> {
    const answers = machines.map(async ({ address }) => {
      const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2_000) })
      const { members: seen } = (await answer.json()) as { members: Member[] }
      if (!seen.some(({ role, state }) => role === 'leader' && state === 'running')) throw new Error('no leader')
      return seen
    })
    return Promise.any(answers).catch(() => [])
  }

  async function withRole(role: string): Promise<Machine> {
    for (;;) {
      const found = (await members()).find((member) => member.role === role)
      const machine = machines.find(({ name }) => name === found?.name)
      if (machine) return machine
      await pause(200)
    }
  }

  async function whole(): Promise<void> {
    for (const endsAt = Date.now() + wholeWithinMs; Date.now() < endsAt; ) {
      const all = await members()
      const follow = all.filter(
        ({ role, state, timeline }) =>
          role !== 'leader' &&
          ['running', 'streaming'].includes(state) &&
          timeline === all.find((each) => each.role === 'leader')?.timeline,
      )
      const standbys = follow.filter(({ role }) => role === 'sync_standby').length
      if (follow.length === 2 && standbys === (isSynchronous ? 1 : 0)) return
      await pause(300)
    }
    throw new Error(`the cluster is not whole: ${JSON.stringify(await members())}`)
  }

  async function query<Row extends pg.QueryResultRow>({ address }: Machine, text: string): Promise<Row[]> {
    const client = new pg.Client({ host: address, user: 'postgres', password, database: 'postgres', connectionTimeoutMillis: 5_000 }) // biome-ignore format: one line
    client.on('error', () => {})
    await client.connect()
    return (await client.query<Row>(text).finally(() => client.end())).rows
  }

  for (const machine of machines) startEtcd(machine)
  await pause(1_000)
  for (const machine of machines) startPatroni(machine)
  const cluster: Cluster = {
    machines,
    url: (way) => {
      const hosts = way === 'HAProxy' ? `127.0.0.1:${proxyPort}` : machines.map(({ address }) => address).join()
      return `postgres://vouchers:secret@${hosts}/vouchers`
    },
    members,
    leader: () => withRole('leader'),
    synchronousStandby: () => withRole('sync_standby'),
    whole,
    async lose(machine) {
      await machine.unplug()
      await machine.signal('SIGKILL')
    },
    startEtcd,
    startPatroni,
    async bringBack(machine) {
      await machine.plug()
      startEtcd(machine)
      startPatroni(machine)
    },
    async switchOver(from, to) {
      const body = JSON.stringify({ leader: from.name, candidate: to.name })
      const answer = await fetch(`http://${from.address}:8008/switchover`, { method: 'POST', body })
      if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`)
    },
    async forceFailover({ name, address }) {
      const body = JSON.stringify({ candidate: name })
      const answer = await fetch(`http://${address}:8008/failover`, { method: 'POST', body })
      if (!answer.ok) throw new Error(`failover: ${answer.status} ${await answer.text()}`)
    },
    async acceptsWrites(machine) {
      const address = ['--host', machine.address, '--username', 'postgres', '--no-psqlrc', '--tuples-only']
      const env = { PGPASSWORD: password, PGCONNECT_TIMEOUT: '3' }
      const answer = await machine.output('psql', [...address, '--command', 'select not pg_is_in_recovery()'], env)
      return answer.trim() === 't'
    },
    query,
  }
  const leader = await cluster.leader()
  await query(leader, `create role vouchers login password 'secret'`)
  await query(leader, 'create database vouchers owner vouchers')
  await whole()
  return cluster
}

/** The files of `deploy/patroni`, with the addresses, folders and names of this test. */
function fileFor(file: string, own: string, replaced: [string, string][]): string {
  let text = readFileSync(join(files, file), 'utf8')
  for (const [from, to] of [...replaced, ['10.0.0.', '10.77.0.'] as const]) text = text.replaceAll(from, to)
  return text.replaceAll('/var/lib/postgresql/15/vouchers', `${own}/data`).replaceAll('/run/postgresql', own)
}

function patroniFile({ name, address }: Machine, own: string, isSynchronous: boolean): string {
  const text = fileFor('patroni.yml', own, [
    ['name: a #', `name: ${name} #`],
    ['/var/lib/postgresql/patroni.pgpass', `${own}/pgpass`],
    ['synchronous_mode: true', `synchronous_mode: ${isSynchronous}`],
    // The control needs a standby that may be promoted although it is far behind.
    ...(isSynchronous
      ? []
      : ([['maximum_lag_on_failover: 1048576', 'maximum_lag_on_failover: 67108864']] as [string, string][])),
  ])
  return text.replaceAll(/10\.77\.0\.1(:\d+) # this machine/g, `${address}$1`)
}

function etcdFile({ name, address }: Machine, own: string): string {
  const text = fileFor('etcd', own, [
    ['ETCD_NAME=a', `ETCD_NAME=${name}`],
    ['/var/lib/etcd/vouchers', `${own}/etcd`],
  ])
  return text.replaceAll(/^(ETCD_(?:LISTEN|INITIAL_ADVERTISE|ADVERTISE)\w+=http:\/\/)[\d.]+/gm, `$1${address}`)
}

function readEnvironment(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
}

async function startHaproxy(folder: string): Promise<number> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, fileFor('haproxy.cfg', folder, [['127.0.0.1:5000', `127.0.0.1:${port}`]]))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  onFileEnd(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  return port
}

function checkPrograms(): void {
  try {
    execFileSync('sh', ['-c', 'command -v etcd && command -v patroni && command -v haproxy && ip netns list'])
  } catch {
    throw new Error('Run `npm run test:ha` as root, with the packages that it names')
  }
}
