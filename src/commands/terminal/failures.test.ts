import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { runCommand } from '#test/command.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { describeFailure } from './failures.ts'

const role = `failures_${process.pid}`
await queryServer(`create role ${role} login`)
onFileEnd(() => queryServer(`drop role ${role}`))

/** An empty database of the administrator, and its address for a user who may only connect. */
async function createForeignDatabase(): Promise<string> {
  const name = `${role}_${Math.trunc(performance.now())}`
  await queryServer(`create database ${name}`)
  onFileEnd(() => queryServer(`drop database ${name} with (force)`))
  return urlFor(name)
}

function urlFor(database: string): string {
  const url = new URL(databaseUrl(database))
  url.username = role
  return url.href
}

test('a user who may not create tables in a database of an administrator is told who should own it', async () => {
  const url = await createForeignDatabase()
  const database = new URL(url).pathname.slice(1)
  const administrator = new URL(databaseUrl(database)).username

  expect(await runCommand(url, ['migrate'])).toMatchObject({
    exitCode: 1,
    stderr: `voucher-service: The user "${role}" may not create tables in the database "${database}", which belongs to "${administrator}". If the service has two roles, make the owner of its tables the owner of this database, and run this command as that role. If it has one role, make the user its owner: \`sudo -u postgres psql -c 'alter database "${database}" owner to "${role}"'\`.\n`,
  })
})

test('`demo` with a user who may not create databases names the missing right', async () => {
  const { exitCode, stderr } = await runCommand(urlFor('postgres'), ['demo', '--port', '0'])

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^voucher-service: PostgreSQL answered: permission denied to create database\. Set .*createdb/,
    ),
  ])
})

test('a command on a database without tables says to run `migrate`', async () => {
  const { exitCode, stderr } = await runCommand(await createForeignDatabase(), ['staff', 'list'])

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^voucher-service: PostgreSQL answered: .* Run `voucher-service migrate` first\.\n$/),
  ])
})

test.each(['migrate', 'sites list'])(
  'a missing password is named, and `%s` does not wait for the server',
  async (args) => {
    const server = createServer(askForPassword)
    const url = `postgres://vouchers@127.0.0.1:${await listen(server)}/vouchers`
    const closed = once(server, 'connection').then(([socket]) => once(socket as Socket, 'close'))

    const { exitCode, stderr } = await runCommand(url, args.split(' '))
    await closed

    expect([exitCode, stderr]).toEqual([
      1,
      'voucher-service: PostgreSQL asks for a password, and DATABASE_URL has none. Add it: postgres://user:password@host/database.\n',
    ])
  },
)

/** Begins SCRAM as PostgreSQL does, and then waits for the password. */
function askForPassword(socket: Socket): void {
  const authentication = (kind: number, text: string) => {
    const message = Buffer.alloc(9 + text.length)
    message.write('R')
    message.writeInt32BE(8 + text.length, 1)
    message.writeInt32BE(kind, 5)
    message.write(text, 9)
    return message
  }
  socket.once('data', () => {
    socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
    socket.once('data', () => socket.write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096')))
  })
  socket.on('error', () => {})
}

test('a host that does not exist is named', async () => {
  const { stderr } = await runCommand('postgres://u:p@no-such-host.invalid/x', ['sites', 'list'])

  expect(stderr).toMatch(/PostgreSQL cannot be reached at no-such-host\.invalid \((ENOTFOUND|EAI_AGAIN)\)\. Check/)
})

test('a message that ends with a full stop gets no second one', () => {
  const error = new Unavailable('PostgreSQL cannot be reached', { cause: new Error('Unexpected end.') })

  expect(describeFailure(error).message).toContain('cannot be reached: Unexpected end. Check DATABASE_URL')
})
