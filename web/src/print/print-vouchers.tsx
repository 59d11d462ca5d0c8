import './print.css'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import { type Paper, Roll, Sheets } from './sheet.tsx'

export type PrintJob = {
  vouchers: SlipVoucher[]
  site: { id: number; name: string }
  guestInfo: GuestInfo
  paper: Paper
  /** One to three. */
  languages: GuestLanguage[]
  /** The card of the first A4 sheet where the slips begin, from 1. */
  firstCard?: number | undefined
}

/** Opens the print dialog of the browser with a slip for each voucher. The promise resolves once the dialog was opened. */
export async function printVouchers({
  vouchers,
  site,
  guestInfo,
  paper,
  languages,
  firstCard,
}: PrintJob): Promise<void> {
  removeLast()
  const container = document.createElement('div')
  container.className = 'vs-print'
  container.ariaHidden = 'true'
  document.body.append(container)
  const root = createRoot(container)
  const pageSize = document.createElement('style')
  removeLast = () => {
    removeEventListener('afterprint', removeLast)
    root.unmount()
    container.remove()
    pageSize.remove()
    removeLast = () => {}
  }
  try {
    const logoUrl = await loadLogo(guestInfo)
    const slip = {
      site: { name: site.name, guestInfo, house: guestInfo.house?.name ?? null, logoUrl },
      languages: languages.slice(0, maxSlipLanguages),
    }
    flushSync(() =>
      root.render(
        paper === 'a4' ? (
          <Sheets vouchers={vouchers} firstCard={firstCard} {...slip} />
        ) : (
          <Roll vouchers={vouchers} {...slip} />
        ),
      ),
    )
    await Promise.all([...container.querySelectorAll('img')].map((image) => image.decode()))
    if (paper === 'a4') fitCards(container)
    pageSize.textContent = `@page { size: ${paper === 'a4' ? 'A4' : rollSize(container)}; margin: 0 }`
    document.head.append(pageSize)
    addEventListener('afterprint', removeLast)
    print()
  } catch (error) {
    removeLast()
    throw error
  }
}

/** Removes the slips of the last call, in case the browser did not send `afterprint`. */
let removeLast = () => {}

/**
 * Waits until the logo can be drawn and returns its address. A process of an older version answers without a house. If the logo cannot be
 * loaded, slips are printed without it.
 */
async function loadLogo({ site_id, logo_updated_at, house }: GuestInfo): Promise<string | null> {
  const url = logo_updated_at === null ? house?.logo?.url : `/api/v2/sites/${site_id}/logo`
  if (url === undefined) return null
  const image = new Image()
  image.src = url
  return image.decode().then(
    () => image.src,
    () => null,
  )
}

/** Makes room on cards with very long texts, in up to six steps (`print.css`). */
function fitCards(container: HTMLElement): void {
  for (const card of container.querySelectorAll<HTMLElement>('.vs-slip'))
    for (const step of ['1', '2', '3', '4', '5', '6'])
      if (card.scrollHeight > card.clientHeight) card.dataset['fit'] = step
}

/** A page as long as the longest slip, because browsers do not support endless paper. */
function rollSize(container: HTMLElement): string {
  const heights = [...container.querySelectorAll('.vs-slip')].map((slip) => slip.getBoundingClientRect().height)
  const pxPerMm = 96 / 25.4
  return `80mm ${Math.ceil(Math.max(...heights) / pxPerMm + 0.5)}mm`
}
