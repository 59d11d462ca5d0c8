import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyWithSecret } from '../../../../client/voucher-api.generated.ts'
import { SecretOnce } from '../../components/dialog.tsx'
import { timeWords } from '../../components/voucher/voucher-words.ts'
import { useCopy } from '../../hooks/use-copy.ts'
import { useScope, useScopeZone } from '../../sites.ts'
import { type Snippets, snippetsFor } from './key-snippets.ts'
import { ExpiryWords, LimitWords, useSitesWords } from './key-words.tsx'
import classes from './keys.module.css'

type Props = { created: KeyWithSecret; isRolled: boolean; onDone: () => void }

/** Shows the secret of a key once, right after the key was created or rolled, with lines to try it. */
export function KeySecret({ created, isRolled, onDone }: Props) {
  const { t } = useTranslation()
  const sitesWords = useSitesWords()
  const timeZone = useScopeZone()
  const old = created.old_secrets[0]
  const rolledText = old
    ? t('keys-page.both-work', { time: timeWords(old.valid_until, timeZone) })
    : t('keys-page.old-ended')
  return (
    <SecretOnce
      onDone={onDone}
      title={t(isRolled ? 'keys-page.rolled-title' : 'keys-page.created-title', { name: created.name })}
      text={isRolled ? `${t('keys-page.copy-now')} ${rolledText}` : t('keys-page.copy-now')}
      secret={created.secret}
      stored={t('keys-page.stored')}
    >
      <TryIt created={created} />
      <dl className={classes.facts}>
        <dt>{t('keys-page.may')}</dt>
        <dd>{t('keys-page.may-on', { scope: created.scope, sites: sitesWords(created) })}</dd>
        <dt>{t('keys-page.limit')}</dt>
        <dd>
          <LimitWords apiKey={created} />
        </dd>
        <dt>{t('keys-page.expires')}</dt>
        <dd>
          <ExpiryWords apiKey={created} />
        </dd>
      </dl>
    </SecretOnce>
  )
}

function TryIt({ created }: { created: KeyWithSecret }) {
  const { t } = useTranslation()
  const { sites = [], site } = useScope()
  const { isCopied, copy } = useCopy()
  const [language, setLanguage] = useState<keyof Snippets>('curl')
  const snippets = snippetsFor(created, location.origin, site?.id ?? sites[0]?.id)
  const snippet = snippets[language]
  return (
    <Stack gap={8}>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={500}>{t('keys-page.try-it')}</Text>
        <SegmentedControl
          size="xs"
          aria-label={t('keys-page.try-it')}
          data={Object.keys(snippets)}
          value={language}
          onChange={(value) => setLanguage(value as keyof Snippets)}
        />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.snippet} tabIndex={0} aria-label={t('keys-page.try-it')}>
        <pre>{snippet}</pre>
      </section>
      <Group justify="space-between" wrap="nowrap">
        <Text fz={13} c="dimmed">
          {t(created.scope === 'write' ? 'keys-page.try-creates' : 'keys-page.try-reads')}
        </Text>
        <Button variant="subtle" size="xs" mr={-14} style={{ flex: 'none' }} onClick={() => copy(snippet)}>
          {t(isCopied ? 'actions.copied' : 'keys-page.copy-lines')}
        </Button>
      </Group>
    </Stack>
  )
}
