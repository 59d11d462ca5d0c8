import { Anchor, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../components/panel.tsx'
import classes from './settings.module.css'

declare const __VERSION__: string

/** Version, documentation and licence. */
export function AboutTab() {
  const { t } = useTranslation()
  const facts = [
    [t('settings.version'), __VERSION__],
    [t('settings.reference'), <PageLink key="reference" href="/reference" />],
    [t('settings.openapi'), <PageLink key="openapi" href="/api/v2/openapi.json" />],
    [t('settings.docs'), t('settings.docs-where')],
    [t('settings.licence'), t('settings.licence-text')],
  ] as const
  return (
    <Panel title={t('app.name')}>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <Text component="dt">{name}</Text>
            <Text component="dd">{value}</Text>
          </Fragment>
        ))}
      </dl>
    </Panel>
  )
}

/** A page of the service that is not part of the web app. */
function PageLink({ href }: { href: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {href}
    </Anchor>
  )
}
