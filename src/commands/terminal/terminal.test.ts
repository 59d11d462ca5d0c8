import { userInfo } from 'node:os'
import { expect, test, vi } from 'vitest'
import { commandActor } from './terminal.ts'

const { username } = userInfo()

test('the audit names the person behind sudo', () => {
  vi.stubEnv('SUDO_USER', 'anna')
  expect(commandActor()).toEqual({ kind: 'command', name: `anna as ${username}` })
  vi.stubEnv('SUDO_USER', username)
  expect(commandActor()).toEqual({ kind: 'command', name: username })
  vi.stubEnv('SUDO_USER', undefined)
  expect(commandActor()).toEqual({ kind: 'command', name: username })
})
