import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startWatchedService } from './watched-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'watched-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const watched = await startWatchedService(1)
const { api, worker, postgres, redis, db } = watched

test('an api that was killed', () =>
  watched.try({
    fault: 'SIGKILL to the api',
    alerts: ['VoucherServiceDown'],
    begin: () => api.service().stop('SIGKILL'),
    end: () => api.start(),
  }))

test('Redis that hangs', () =>
  watched.try({
    fault: 'SIGSTOP to Redis',
    alerts: ['VoucherServiceRedisLost'],
    begin: async () => redis.signal('SIGSTOP'),
    end: async () => redis.signal('SIGCONT'),
  }))

test('a database that becomes read-only while nobody writes', () =>
  watched.try({
    fault: 'default_transaction_read_only = on',
    alerts: ['VoucherServiceWritesRefused'],
    begin: () => setReadOnly('on'),
    end: () => setReadOnly('off'),
  }))

async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  await db.query(`alter system set default_transaction_read_only = ${value}`)
  await db.query('select pg_reload_conf()')
}

test('a repository of backups that cannot be reached', () =>
  watched.try({
    fault: 'archive_command = false',
    alerts: ['VoucherServiceArchiveFails'],
    begin: () => archiveWith('false'),
    end: () => archiveWith('true'),
  }))

async function archiveWith(command: string): Promise<void> {
  await db.query(`alter system set archive_command = '${command}'`)
  await db.query('select pg_reload_conf()')
  await db.query(`select pg_logical_emit_message(false, 'test', 'test')`)
  await db.query('select pg_switch_wal()')
}

test('a migration that breaks the running version', () =>
  watched.try({
    fault: 'a row in breaking_migrations',
    alerts: ['VoucherServiceOutdated'],
    begin: () => db.query(`insert into breaking_migrations values ('9999_test', '99.0.0', 'a test')`),
    async end() {
      await db.query('delete from breaking_migrations')
      await worker.service().stop('SIGKILL') // it has stopped its work for good
      await worker.start()
    },
  }))

test('PostgreSQL that is stopped while clients send requests', async () => {
  const clients = watched.keepDoing(200, watched.list)
  await watched.try({
    fault: 'PostgreSQL stopped',
    alerts: ['VoucherServiceRecordUnreadable', 'VoucherServiceErrors'],
    begin: postgres.stop,
    end: postgres.start,
  })
  await clients.stop()
})

test('a process that gets too little processor time', async () => {
  let pulses: { stop(): Promise<void> } | undefined
  await watched.try({
    fault: 'SIGSTOP for 600 of 700 ms, again and again',
    alerts: ['VoucherServiceEventLoopSlow'],
    async begin() {
      const { process: child } = api.service()
      pulses = watched.keepDoing(100, async () => {
        child.kill('SIGSTOP')
        await pause(600)
        child.kill('SIGCONT')
      })
    },
    end: async () => pulses?.stop(),
  })
})

test('a service that is held, with an old backup and guests who should have been forgotten', () =>
  watched.try({
    fault: '`hold`, a last backup of 37 hours ago, and days for guests that were chosen 25 hours ago',
    alerts: ['VoucherServiceHeld', 'VoucherServiceBackupOld', 'VoucherServiceGuestsNotForgotten'],
    async begin() {
      await db.query(`insert into last_backup (taken_at) values (now() - interval '37 hours')`)
      await runCommand(watched.url, ['hold'])
      await db.query(
        `insert into settings (name, value, changed_at) values ('guests_forget_after_days', '90', now() - interval '25 hours')`,
      )
    },
    async end() {
      await runCommand(watched.url, ['backup', join(folder, 'new.backup')], {
        env: { PATH: process.env['PATH'] as string },
      })
      await runCommand(watched.url, ['resume', '--yes'])
    },
  }))
