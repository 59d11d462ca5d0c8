import { Link, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../../components/page-title.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { lazyPart } from '../../new-version.tsx'
import { usePerson } from '../../session.tsx'
import { useScopeZone } from '../../sites.ts'
import { AboutTab } from './about-tab.tsx'
import { AppearanceTab } from './appearance/appearance-tab.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { StaffTab } from './people/staff-tab.tsx'
import classes from './settings.module.css'
import { SignInTab } from './sign-in/sign-in-tab.tsx'
import { TemplatesTab } from './templates/templates-tab.tsx'
import { UnsavedContext } from './unsaved.ts'

addTexts({ de, en })

const SlipsTab = lazyPart(async () => (await import('./slips/slips-tab.tsx')).SlipsTab)
const EmailTab = lazyPart(async () => (await import('./email/email-tab.tsx')).EmailTab)
const GuestDataTab = lazyPart(async () => (await import('./guest-data/guest-data-tab.tsx')).GuestDataTab)

const allTabs = [
  { tab: undefined, label: 'settings.staff', Content: StaffTab },
  { tab: 'templates', label: 'settings.templates', Content: TemplatesTab },
  { tab: 'slips', label: 'settings.slips', Content: SlipsTab },
  { tab: 'appearance', label: 'settings.appearance', Content: AppearanceTab, isForAdministrators: true },
  { tab: 'email', label: 'settings.email', Content: EmailTab, isForAdministrators: true },
  { tab: 'sign-in', label: 'settings.sign-in', Content: SignInTab, isForAdministrators: true },
  { tab: 'guest-data', label: 'settings.guest-data', Content: GuestDataTab, isForAdministrators: true },
  { tab: 'about', label: 'settings.about', Content: AboutTab },
] as const

/** Staff, templates, slips, the appearance of the house, e-mail, sign-in, guests' data and facts about the service. The tabs are links, so that each has its own address. */
export function SettingsPage() {
  const { t } = useTranslation()
  const { tab } = useSearch({ from: '/shell/settings' })
  const timeZone = useScopeZone()
  const { role } = usePerson()
  const tabs = allTabs.filter((one) => role === 'admin' || !('isForAdministrators' in one))
  const [isUnsaved, setIsUnsaved] = useState(false)
  const { Content } = tabs.find((one) => one.tab === tab) ?? allTabs[0]
  return (
    <>
      <PageTitle title={t('settings.title')} {...(tab === undefined && { timeZone })} />
      <nav className={classes.tabs} aria-label={t('settings.title')}>
        {tabs.map((one) => (
          <Link
            key={one.label}
            to="/settings"
            search={({ site }) => ({ site, tab: one.tab })}
            className={classes.tab}
            aria-current={one.tab === tab ? 'page' : undefined}
            activeOptions={{ exact: true, explicitUndefined: true }}
          >
            {t(one.label)}
            {one.tab === tab && isUnsaved && <span className={classes.unsaved}> · {t('settings.tab-not-saved')}</span>}
          </Link>
        ))}
      </nav>
      <UnsavedContext value={setIsUnsaved}>
        <Suspense>
          <Content />
        </Suspense>
      </UnsavedContext>
    </>
  )
}
