import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CodeLookUp, Site, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { StatusMark, StatusWords } from '../../../components/voucher/status-mark.tsx'
import { clockWords, joinWords, limitWords, timeWords } from '../../../components/voucher/voucher-words.ts'
import { orValue } from '../../../newer-values.ts'
import { checkCode } from '../../../queries/vouchers.ts'
import { useFindSite, useKnownSites } from '../../../sites.ts'
import classes from '../desk.module.css'

type Props = {
  /** The site of the desk; undefined until one is chosen. */
  site?: Site
  /** Shows a voucher of this site. */
  onOpen?: (voucher: Voucher) => void
}

/**
 * Checks whether a code works, at all sites of the person. The service asks the controllers first; the result says if a controller
 * did not answer.
 */
export function CheckCode({ site, onOpen }: Props) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const check = useMutation(checkCode(site))
  const verdict = useRef<HTMLDivElement>(null)
  // On a phone the field may be at the bottom of the screen. Then the answer would be below it.
  useEffect(() => {
    if (check.data || check.error) verdict.current?.scrollIntoView({ block: 'nearest' })
  }, [check.data, check.error])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = code.trim()
    setIsMissing(typed === '')
    if (typed !== '' && !check.isPending) check.mutate(typed)
  }
  return (
    <section aria-label={t('desk.check')}>
      <form onSubmit={submit} noValidate>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            label={t('desk.check')}
            placeholder={t('desk.check-example')}
            classNames={{ input: 'code' }}
            autoComplete="off"
            maxLength={64}
            error={isMissing && t('desk.check-missing')}
            value={code}
            onChange={(event) => {
              setCode(event.currentTarget.value)
              check.reset()
            }}
          />
          <Button type="submit" variant="default" loading={check.isPending} className={classes.small ?? ''}>
            {t('desk.check-submit')}
          </Button>
        </Group>
      </form>
      <Stack ref={verdict} gap="xs" mt="sm" role="status">
        {check.error && <ErrorMessage error={check.error} onRetry={() => check.mutate(code.trim())} />}
        {check.data && <Verdict found={check.data} code={code} site={site} onOpen={onOpen} />}
      </Stack>
    </section>
  )
}

type VerdictProps = { found: CodeLookUp; code: string; site: Site | undefined; onOpen: Props['onOpen'] }

function Verdict({ found, code, site, onOpen }: VerdictProps) {
  const { t } = useTranslation()
  const { sites = [] } = useKnownSites()
  const find = useFindSite()
  const { vouchers, on_controller_only: others, fresh, synced_at: syncedAt } = found
  const valid = vouchers.filter(({ status }) => status === 'valid')
  const shown = valid.length > 0 ? valid : vouchers.slice(0, 1)
  const [other] = others
  const timeZone = (site ?? sites[0])?.time_zone ?? 'UTC'
  const source = fresh
    ? t('desk.check-fresh')
    : syncedAt
      ? t('desk.check-stale', { time: clockWords(new Date(syncedAt), timeZone) })
      : t('desk.check-never')
  const wasAsked = shown.length > 0 || site !== undefined
  return (
    <>
      {shown.length > 0 && (
        <ul className={classes.list}>
          {shown.map((voucher) => (
            <li key={voucher.id}>
              <FoundVoucher
                voucher={voucher}
                site={sites.length > 1 ? (find(voucher.site_id) ?? undefined) : undefined}
                timeZone={find(voucher.site_id)?.time_zone ?? timeZone}
                {...(voucher.site_id === site?.id && { onOpen })}
              />
            </li>
          ))}
        </ul>
      )}
      {shown.length === 0 && other && (
        <Text fz={13.5}>
          <StatusWords status={other.status} /> · {t('desk.check-foreign')}
        </Text>
      )}
      {shown.length === 0 && !other && (
        <>
          <Text fw={600}>{t(sites.length > 1 ? 'check.none' : 'check.none-here')}</Text>
          {!isComplete(code) && <Text fz={13.5}>{t('check.ten-digits')}</Text>}
        </>
      )}
      {wasAsked && (
        <Text fz={12} c={fresh ? 'dimmed' : 'var(--vs-warn-text)'}>
          {source}
        </Text>
      )}
    </>
  )
}

/** The codes of UniFi have ten digits. People leave some out, or read a zero as the letter O. */
const isComplete = (code: string) => /^\d{10}$/.test(code.replaceAll(/[\s-]/g, ''))

type FoundProps = {
  voucher: Voucher
  /** The site of the voucher, if the person has several. */
  site: Site | undefined
  timeZone: string
  onOpen?: Props['onOpen']
}

/** The state of a voucher, where it belongs and until when it works. A voucher of another site opens on the page of vouchers. */
function FoundVoucher({ voucher, site, timeZone, onOpen }: FoundProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const showInList = () =>
    void navigate({ to: '/vouchers', search: (old) => ({ ...old, site: undefined, voucher: voucher.id }) })
  const end = voucher.ends_at ?? voucher.valid_until
  return (
    <UnstyledButton className={classes.row} onClick={() => (onOpen ? onOpen(voucher) : showInList())}>
      <span className={classes.mark}>
        <StatusMark status={voucher.status} />
      </span>
      <span style={{ flex: 1, minWidth: 0 }}>
        <Text fw={600} lh="20px">
          {joinWords(
            t(`desk.status-${voucher.status}`, orValue(voucher.status)),
            end !== null && voucher.revoked_at === null
              ? t('check.until', { time: timeWords(new Date(end), timeZone) })
              : '',
            end === null && voucher.status === 'valid' ? t('check.not-used') : '',
          )}
        </Text>
        {site && (
          <Text fz={13.5} lh="20px" truncate title={site.name}>
            {t('check.at', { site: site.name })}
          </Text>
        )}
        <Text fz={13} lh="18px" c="dimmed" truncate>
          {voucher.name} · {limitWords(t, voucher, timeZone)}
        </Text>
      </span>
    </UnstyledButton>
  )
}
