import { useDocumentTitle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { House } from '../../client/voucher-api.generated.ts'
import { sessionQuery } from './queries/session.ts'

const nobody: House = { name: null, logo: null }

/** The house that runs the service. Its name and logo are null until they are known. */
export function useHouse(): House {
  // Only `WaitForSession` asks for the session. Otherwise the page about a failed request would repeat it for ever.
  const { data: session } = useQuery({ ...sessionQuery, enabled: false })
  return session?.house ?? nobody
}

/** Sets the title of the window: the page, then the house. */
export function usePageTitle(title: string): void {
  const { t } = useTranslation()
  const { name } = useHouse()
  useDocumentTitle(`${title} · ${name ?? t('app.name')}`)
}

/** Replaces the accent of this page. The service writes the same element into each page. */
export function showAccent(style: string): void {
  const element = document.getElementById('house-colors') ?? document.head.appendChild(document.createElement('style'))
  element.id = 'house-colors'
  element.textContent = style
}
