import { expect, test } from 'vitest'
import { promptFor } from './prompt-for.ts'

const [google, entra, keycloak] = [
  'https://accounts.google.com',
  'https://login.microsoftonline.com/8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11/v2.0',
  'https://login.example.com/realms/house',
]

test('another account: Google and Entra ID show the accounts, other providers the form for the password', () => {
  expect([google, entra, keycloak].map((issuer) => promptFor(issuer, 'other account'))).toEqual([
    { prompt: 'select_account' },
    { prompt: 'select_account' },
    { prompt: 'login' },
  ])
})

test('again: the provider asks for the password, except Google, which can only ask for the account', () => {
  expect([google, entra, keycloak].map((issuer) => promptFor(issuer, 'again'))).toEqual([
    { prompt: 'select_account' },
    { prompt: 'login', max_age: '60' },
    { prompt: 'login', max_age: '60' },
  ])
})
