/**
 * Which rows of a test's database were written, by a trigger on each table: a look costs one small statement however many
 * rows there are, so every line of a large table of calls can have its own.
 */
import type pg from 'pg'

const WRITE_DOWN = `
  create table written_rows (n bigserial primary key, change int not null, row text not null);
  create function write_down_row() returns trigger language plpgsql as $$
    declare whole text := coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = tg_relid), tg_table_name);
    begin
      if tg_op <> 'INSERT' then
        insert into written_rows (change, row) values (-1, whole || ' ' || old::text);
      end if;
      if tg_op <> 'DELETE' then
        insert into written_rows (change, row) values (1, whole || ' ' || new::text);
      end if;
      return null;
    end $$;
  create function refuse_to_truncate() returns trigger language plpgsql as $$
    begin raise 'emptying % at once would not be written down', tg_table_name; end $$;
  do $$
    declare name text;
    begin
      for name in select quote_ident(relname) from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and not relispartition and relname <> 'written_rows'
      loop
        execute 'create trigger write_down_row after insert or update or delete on ' || name ||
          ' for each row execute function write_down_row()';
        execute 'create trigger refuse_to_truncate before truncate on ' || name ||
          ' execute function refuse_to_truncate()';
      end loop;
    end $$`

export type WrittenRows = Awaited<ReturnType<typeof watchRows>>

/** From here on, the rows of every table are watched. */
export async function watchRows(pool: pg.Pool) {
  await pool.query(WRITE_DOWN)
  return {
    /** This moment. */
    async now(): Promise<string> {
      const { rows } = await pool.query<{ n: string }>('select coalesce(max(n), 0) as n from written_rows')
      return rows[0]?.n ?? ''
    },
    /**
     * What is different since that moment: `- <table> <row>` is no longer there and `+ <table> <row>` is new. A row that is
     * written as it was is not different. `like` is what a row must match to count.
     */
    async since(moment: string, like = ''): Promise<string[]> {
      const { rows } = await pool.query<{ row: string }>(
        `select case when sum(change) < 0 then '- ' else '+ ' end || row as row from written_rows
         where n > $1 and row ~ $2 group by row having sum(change) <> 0 order by min(n)`,
        [moment, like],
      )
      return rows.map(({ row }) => row)
    },
  }
}
