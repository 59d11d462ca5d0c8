import { expect, test } from 'vitest'
import { readZip } from '#test/read-zip.ts'
import { guestDataFile, guestDataFileName } from './guest-data-file.ts'

const now = new Date('2026-11-19T23:30:00Z')
const hostile = `<img src=x onerror="alert('1')">&`
const empty = { vouchers: [], creations: [], batchRows: [], messages: [], events: [], audit: [] }

test('the file has all fields as JSON, and a page in English and German that escapes hostile names', () => {
  const voucher = { id: '1-x', name: hostile, createdAt: now, expiresAt: null, usedCount: 0 }
  const event = { id: 'e', vouchers: [{ id: 'x', reference: hostile }], webhooks: ['PMS', 'Chat'] }
  const files = readZip(
    guestDataFile([{ siteId: 1, name: hostile }], { ...empty, vouchers: [voucher], events: [event] }, now),
  )
  const page = files['guest-data.html'] as string

  expect(Object.keys(files)).toEqual(['guest-data.json', 'guest-data.html'])
  expect(JSON.parse(files['guest-data.json'] as string)).toEqual({
    exported_at: now.toISOString(),
    guests: [{ site_id: 1, name: hostile }],
    vouchers: [{ id: '1-x', name: hostile, created_at: now.toISOString(), expires_at: null, used_count: 0 }],
    creations: [],
    batch_rows: [],
    messages: [],
    events: [event],
    audit: [],
  })
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;')
  expect(page).not.toContain('<img')
  expect(page).toContain('created at / <span lang="de">Erstellt</span>')
  expect(page).toContain('<td>PMS, Chat</td>')
  expect(page).not.toContain('expires at')
  expect(page.match(/Nichts ist gespeichert/g)).toHaveLength(4)
})

test('the name of the file has only the day', () => {
  expect(guestDataFileName(now)).toBe('guest-data-2026-11-19.zip')
})
