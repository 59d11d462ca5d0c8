import { createCipheriv, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { encryptedByTool, toolAppKey } from '#test/php-tool/secrets.ts'
import { decryptPassword, isEncrypted, readAppKey } from './decrypt-password.ts'

const key = readAppKey(toolAppKey) as Buffer

test.each(encryptedByTool)('a password that PHP encrypted with libsodium is read: $text', ({ text, encrypted }) => {
  expect(isEncrypted(encrypted)).toBe(true)
  expect(decryptPassword(key, encrypted)).toBe(text)
})

test('a password that PHP encrypted without libsodium is read', () => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const encrypted = Buffer.concat([cipher.update('geheim'), cipher.final()])
  const stored = `enc:v1:${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')}`

  expect(decryptPassword(key, stored)).toBe('geheim')
})

test('another key, a changed byte and a short text give nothing', () => {
  const { encrypted } = encryptedByTool[0]
  const changed = Buffer.from(encrypted.slice(7), 'base64')
  changed[30] = (changed[30] as number) ^ 1

  expect(decryptPassword(randomBytes(32), encrypted)).toBeUndefined()
  expect(decryptPassword(key, `enc:v1:${changed.toString('base64')}`)).toBeUndefined()
  expect(decryptPassword(key, 'enc:v1:AAAA')).toBeUndefined()
})

test.each(['', 'short', toolAppKey.slice(1), `${toolAppKey}\n`, `'${toolAppKey}'`])('%j is no APP_KEY', (text) => {
  expect(readAppKey(text)).toBeUndefined()
})
