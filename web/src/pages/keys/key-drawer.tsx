import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Key } from '../../../../client/voucher-api.generated.ts'
import { issuingWords } from '../../components/issuing/issuing-fields.tsx'
import { Moment } from '../../components/moment.tsx'
import { timeWords } from '../../components/voucher/voucher-words.ts'
import { formatNumber, formatTime, shortDay } from '../../formats.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { useFindSite, useScopeZone } from '../../sites.ts'
import { type KeyAction, ScopeMark } from './key-table.tsx'
import { ExpiryWords, LimitWords, useSitesWords } from './key-words.tsx'
import classes from './keys.module.css'
import { dayOf } from './keys-data.ts'

type Props = { apiKey: Key; onClose: () => void; onAction: (action: KeyAction) => void }

/** Everything about one key, with the number of requests on each day, and its actions. */
export function KeyDrawer({ apiKey, onClose, onAction }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  return (
    <Drawer
      opened
      onClose={onClose}
      title={apiKey.name}
      size={isPhone ? '100%' : 460}
      padding={isPhone ? 'md' : 'lg'}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <Stack gap="lg" tabIndex={-1} data-autofocus>
        {!apiKey.revoked_at && (
          <Group gap="sm">
            <Button variant="default" onClick={() => onAction('edit')}>
              {t('keys-page.edit')}
            </Button>
            <Button variant="default" onClick={() => onAction('roll')}>
              {t('keys-page.roll')}
            </Button>
          </Group>
        )}
        <Facts apiKey={apiKey} />
        <OldSecrets apiKey={apiKey} />
        <Days apiKey={apiKey} />
        {!apiKey.revoked_at && (
          <Group ml={-16}>
            <Button variant="subtle" color="red" onClick={() => onAction('revoke')}>
              {t('keys-page.revoke')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  )
}

/** A key may have a thousand sites. */
const namesShown = 20

function Facts({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const find = useFindSite()
  const timeZone = useScopeZone()
  const sitesWords = useSitesWords()
  const names = apiKey.site_ids.slice(0, namesShown).map((id) => find(id)?.name ?? `#${id}`)
  const more = apiKey.site_ids.length - names.length
  return (
    <dl className={classes.facts}>
      <dt>{t('keys-page.prefix')}</dt>
      <dd className={classes.prefix}>{apiKey.prefix}…</dd>
      <dt>{t('keys-page.scope')}</dt>
      <dd>
        <ScopeMark apiKey={apiKey} />
      </dd>
      <dt>{t('keys-page.sites-title')}</dt>
      <dd>
        {apiKey.all_sites
          ? sitesWords(apiKey)
          : [...names, ...(more > 0 ? [t('keys-page.more-sites', { count: more })] : [])].join(', ')}
      </dd>
      <dt>{t('keys-page.limit')}</dt>
      <dd>
        <LimitWords apiKey={apiKey} />
      </dd>
      {apiKey.scope !== 'read' && (
        <>
          <dt>{t('issuing.title')}</dt>
          <dd>{issuingWords(t, apiKey)}</dd>
        </>
      )}
      <dt>{t('keys-page.expires')}</dt>
      <dd>
        <ExpiryWords apiKey={apiKey} />
      </dd>
      <dt>{t('keys-page.last-used')}</dt>
      <dd>{apiKey.last_used_at ? <Moment at={apiKey.last_used_at} timeZone={timeZone} /> : t('keys-page.unused')}</dd>
      <dt>{t('keys-page.created')}</dt>
      <dd>
        <Moment at={apiKey.created_at} timeZone={timeZone} />
      </dd>
    </dl>
  )
}

/** After a roll: which old secrets still work, and whether anything still uses them. */
function OldSecrets({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  if (apiKey.old_secrets.length === 0 || apiKey.revoked_at) return null
  return (
    <section>
      <Title order={3} mb={4}>
        {t('keys-page.old-title')}
      </Title>
      {apiKey.old_secrets.map(({ prefix, valid_until, last_used_at }) => (
        <Text key={prefix} fz={13.5}>
          <span className={classes.prefix}>{prefix}…</span>{' '}
          {t('keys-page.works-until', { time: timeWords(valid_until, timeZone) })}
          {' · '}
          {last_used_at
            ? t('keys-page.old-used', { time: timeWords(last_used_at, timeZone) })
            : t('keys-page.old-unused')}
        </Text>
      ))}
    </section>
  )
}

function Days({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const days = apiKey.usage.requests.map((requests, i) => ({
    day: formatTime(dayOf(apiKey, i), { weekday: 'short', ...shortDay, timeZone: 'UTC' }),
    requests: formatNumber(requests),
    limited: formatNumber(apiKey.usage.limited[i] ?? 0),
  }))
  return (
    <section>
      <Title order={3} mb={4}>
        {t('keys-page.requests-14')}
      </Title>
      <table className={classes.days}>
        <thead>
          <tr>
            <th scope="col">{t('keys-page.day')}</th>
            <th scope="col">{t('keys-page.requests')}</th>
            <th scope="col">{t('keys-page.limited')}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, requests, limited }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{requests}</td>
              <td>{limited}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
