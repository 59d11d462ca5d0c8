import { Anchor } from '@mantine/core'
import i18next from 'i18next'
import { type ComponentType, lazy } from 'react'
import { onServiceUpdated } from './api.ts'

const storageKey = 'vs.reloaded-bundle'
let pagesLoading = 0

/**
 * Loads a page of the app. After an update of the service, the files of the old bundle are gone. Then the browser reloads
 * and gets the new bundle. Each bundle causes one reload at most, so a file that stays missing causes an error, not a loop.
 */
export async function loadPage<Page>(load: () => Promise<Page>): Promise<Page> {
  pagesLoading++
  try {
    return await load()
  } catch (cause) {
    const bundle = import.meta.url
    if (sessionStorage.getItem(storageKey) === bundle) throw new Error('A file of the web app is missing', { cause })
    sessionStorage.setItem(storageKey, bundle)
    location.reload()
    return new Promise(() => {}) // the browser leaves this page
  } finally {
    pagesLoading--
  }
}

/**
 * A part of a page that is loaded when it is needed. If its file is gone after an update, the part stays empty and a
 * notice appears. A reload would lose what was typed, so the person decides.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  const orNothing = () =>
    load().catch((): ComponentType<Props> => {
      void showNotice()
      return () => null
    })
  return lazy(async () => ({ default: await orNothing() }))
}

/**
 * Shows the notice when an answer says that the service was updated, and for missing files that are not loaded by `lazyPart`,
 * such as the slips.
 */
export function watchForNewVersion(): void {
  onServiceUpdated(() => void showNotice())
  addEventListener('vite:preloadError', () => pagesLoading === 0 && void showNotice())
}

/** Only pages of signed-in people show notices, and these have loaded this package. */
async function showNotice(): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({
    id: 'new-version',
    autoClose: false,
    title: i18next.t('new-version.title'),
    message: (
      <>
        {i18next.t('new-version.text')}{' '}
        <Anchor component="button" inherit onClick={() => location.reload()}>
          {i18next.t('new-version.reload')}
        </Anchor>
      </>
    ),
  })
}
