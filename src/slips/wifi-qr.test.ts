import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wifiQrText } from './wifi-qr.ts'

const wifi = { wifi_name: 'Adler-Gast', wifi_password: null, wifi_hidden: false }

test.each([
  [{}, 'WIFI:T:nopass;S:Adler-Gast;;'],
  [{ wifi_password: 'geheim123' }, 'WIFI:T:WPA;S:Adler-Gast;P:geheim123;;'],
  [{ wifi_hidden: true }, 'WIFI:T:nopass;S:Adler-Gast;H:true;;'],
  [{ wifi_name: String.raw`a\b;c,d:e"f` }, String.raw`WIFI:T:nopass;S:a\\b\;c\,d\:e\"f;;`],
  [{ wifi_name: null, wifi_password: 'geheim123' }, null],
])('%j gives %s', (changes, text) => {
  expect(wifiQrText({ ...wifi, ...changes })).toBe(text)
})

/** Reads the text from left to right as a phone does, without a list of characters that need a backslash. */
function readAsPhone(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  let [key, value, isKey] = ['', '', true]
  for (let at = 'WIFI:'.length; at < text.length; at++) {
    const character = text[at] as string
    if (isKey && character === ':') isKey = false
    else if (isKey) key += character
    else if (character === '\\') value += text[++at]
    else if (character === ';') {
      fields[key] = value
      ;[key, value, isKey] = ['', '', true]
    } else value += character
  }
  return fields
}

test('a phone reads every name and password as they are', () => {
  const tricky = fc.string({
    unit: fc.constantFrom('\\', ';', ',', ':', '"', 'ä', ' ', 'a'),
    minLength: 1,
    maxLength: 32,
  })
  fc.assert(
    fc.property(tricky, tricky, fc.boolean(), (name, password, isHidden) => {
      const text = wifiQrText({ wifi_name: name, wifi_password: password, wifi_hidden: isHidden })
      expect(readAsPhone(text ?? '')).toMatchObject({ T: 'WPA', S: name, P: password, ...(isHidden && { H: 'true' }) })
    }),
  )
})
