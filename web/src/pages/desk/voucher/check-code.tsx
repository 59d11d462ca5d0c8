import { Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CodeLookUp, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { StatusMark, StatusWords } from '../../../components/voucher/status-mark.tsx'
import { clockWords, limitWords } from '../../../components/voucher/voucher-words.ts'
import classes from '../desk.module.css'

type Props = { siteId: number; timeZone: string; onOpen: (voucher: Voucher) => void }

/** Checks whether a code works. The service asks the controller first; the result says if the controller did not answer. */
export function CheckCode({ siteId, timeZone, onOpen }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const check = useMutation({
    mutationFn: (typed: string) => api.lookUpCode({ code: typed, site_id: siteId, fresh: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['vouchers'] }), // the check may have recorded new uses
  })
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
      <Stack gap="xs" mt="sm" role="status">
        {check.error && <ErrorMessage error={check.error} onRetry={() => check.mutate(code.trim())} />}
        {check.data && <Verdict found={check.data} timeZone={timeZone} onOpen={onOpen} />}
      </Stack>
    </section>
  )
}

type VerdictProps = { found: CodeLookUp; timeZone: string; onOpen: (voucher: Voucher) => void }

function Verdict({ found, timeZone, onOpen }: VerdictProps) {
  const { t } = useTranslation()
  const { vouchers, on_controller_only: others, fresh, synced_at: syncedAt } = found
  const [voucher] = vouchers
  const [other] = others
  const source = fresh
    ? t('desk.check-fresh')
    : syncedAt
      ? t('desk.check-stale', { time: clockWords(new Date(syncedAt), timeZone) })
      : t('desk.check-never')
  return (
    <>
      {voucher && (
        <div className={classes.list}>
          <UnstyledButton className={classes.row} onClick={() => onOpen(voucher)}>
            <span className={classes.mark}>
              <StatusMark status={voucher.status} />
            </span>
            <span style={{ flex: 1, minWidth: 0 }}>
              <Text fw={600} lh="20px">
                {t(`desk.status-${voucher.status}`)}
              </Text>
              <Text fz={13} lh="18px" c="dimmed" truncate>
                {voucher.name} · {limitWords(t, voucher, timeZone)}
              </Text>
            </span>
          </UnstyledButton>
        </div>
      )}
      {!voucher && other && (
        <Text fz={13.5}>
          <StatusWords status={other.status} /> · {t('desk.check-foreign')}
        </Text>
      )}
      {!voucher && !other && <Text fw={600}>{t('desk.check-none')}</Text>}
      <Text fz={12} c={fresh ? 'dimmed' : 'var(--vs-warn-text)'}>
        {source}
      </Text>
    </>
  )
}
