export { createRandom, type Random } from '#lib/random.ts'
