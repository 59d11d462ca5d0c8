import { expect, test } from 'vitest'
import { requireOrganisation } from './require-organisation.ts'

const tenant = '8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11'
const entra = { issuer: `https://login.microsoftonline.com/${tenant}/v2.0`, hostedDomain: undefined }
const google = { issuer: 'https://accounts.google.com', hostedDomain: 'adler.example' }

test.each([
  ['another tenant', { tid: '9188040d-6c67-4c5b-b112-36a304b66dad' }, entra],
  ['no tenant', {}, entra],
  ['another domain', { hd: 'evil.example' }, google],
  ['a domain that only ends like ours', { hd: 'evil-adler.example' }, google],
  ['a private account of Google', {}, google],
])('%s is rejected', (_, claims, provider) => {
  expect(() => requireOrganisation(claims, provider)).toThrow('provider_organisation_wrong')
})

test('the own tenant and the own domain are accepted, and so are providers that have neither', () => {
  requireOrganisation({ tid: tenant }, entra)
  requireOrganisation({ hd: 'adler.example' }, google)
  requireOrganisation({}, { issuer: 'https://login.example.com/realms/house', hostedDomain: undefined })
})
