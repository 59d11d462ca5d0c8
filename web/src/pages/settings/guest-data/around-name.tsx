/** A sentence with the name of a guest. Characters of the name that change the direction do not reach the words around it. */
export function AroundName({ name, text }: { name: string; text: (name: string) => string }) {
  const [before, after] = text('\n').split('\n')
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  )
}
