import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../../components/page-title.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { AboutTab } from './about-tab.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { StaffTab } from './people/staff-tab.tsx'
import classes from './settings.module.css'
import { TemplatesTab } from './templates/templates-tab.tsx'

addTexts({ de, en })

const tabs = [
  { tab: undefined, label: 'settings.staff', Content: StaffTab },
  { tab: 'templates', label: 'settings.templates', Content: TemplatesTab },
  { tab: 'about', label: 'settings.about', Content: AboutTab },
] as const

/** Staff, templates and facts about the service. The tabs are links, so that each has its own address. */
export function SettingsPage() {
  const { t } = useTranslation()
  const { tab } = useSearch({ from: '/shell/settings' })
  const { Content } = tabs.find((one) => one.tab === tab) ?? tabs[0]
  return (
    <>
      <PageTitle title={t('settings.title')} />
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
          </Link>
        ))}
      </nav>
      <Content />
    </>
  )
}
