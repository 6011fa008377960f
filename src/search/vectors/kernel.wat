;; The inner loops of the vector index, in 128-bit WebAssembly SIMD. JavaScript decides what to scan and when;
;; nothing here allocates or calls out. kernel.wasm is this file compiled, and a test holds the two together:
;;   npx wat2wasm --enable-relaxed-simd src/search/vectors/kernel.wat -o src/search/vectors/kernel.wasm
;;
;; The memory holds a header (query in three forms, centre, histogram, rows that are scored), blocks of 1024 slots, and
;; scratch:
;;   block:    int8 rows | sign bits | int8 scales (one float32 a slot)
;;   signs:    groups of 16 slots; byte b of a group's slot j is at 16 b + j and holds dims 8 b .. 8 b + 7
;;   scratch:  mask (a byte a slot), distances (a u16 a slot), list (a u32 an entry), scores (a float32 each)
;; Arrays are padded, so a loop may read and write past the last entry up to its own step.

(module
  (import "index" "memory" (memory 1 65536))
  (import "index" "dims" (global $dims i32))
  (import "index" "blocksAt" (global $blocks_at i32))
  (import "index" "blockBytes" (global $block_bytes i32))
  (import "index" "scalesAt" (global $scales_at i32))
  (import "index" "queryFloat32At" (global $query_float32_at i32))
  (import "index" "queryInt16At" (global $query_int16_at i32))
  (import "index" "penaltiesAt" (global $penalties_at i32))
  (import "index" "centreAt" (global $centre_at i32))
  (import "index" "histogramAt" (global $histogram_at i32))

  (func $block_of (param $slot i32) (result i32)
    (i32.add
      (global.get $blocks_at)
      (i32.mul (i32.shr_u (local.get $slot) (i32.const 10)) (global.get $block_bytes))))

  (func $int8_row (param $slot i32) (result i32)
    (i32.add
      (call $block_of (local.get $slot))
      (i32.mul (i32.and (local.get $slot) (i32.const 1023)) (global.get $dims))))

  (func $scale_of (param $slot i32) (result f32)
    (f32.load
      (i32.add
        (i32.add (call $block_of (local.get $slot)) (global.get $scales_at))
        (i32.shl (i32.and (local.get $slot) (i32.const 1023)) (i32.const 2)))))

  ;; Writes a slot's signs, bit set where it is not below the centre, from `signs` on in steps of 16 bytes.
  (func (export "writeSigns") (param $slot i32) (param $signs i32)
    (local $row i32) (local $centre i32) (local $end i32) (local $eight v128) (local $scale v128)
    (local.set $row (call $int8_row (local.get $slot)))
    (local.set $scale (f32x4.splat (call $scale_of (local.get $slot))))
    (local.set $centre (global.get $centre_at))
    (local.set $end (i32.add (local.get $centre) (i32.shl (global.get $dims) (i32.const 2))))
    (loop $eight_dims
      (local.set $eight (v128.load8x8_s (local.get $row)))
      (i32.store8
        (local.get $signs)
        (i32.or
          (i32x4.bitmask
            (f32x4.ge
              (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))) (local.get $scale))
              (v128.load (local.get $centre))))
          (i32.shl
            (i32x4.bitmask
              (f32x4.ge
                (f32x4.mul
                  (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))
                  (local.get $scale))
                (v128.load offset=16 (local.get $centre))))
            (i32.const 4))))
      (local.set $signs (i32.add (local.get $signs) (i32.const 16)))
      (local.set $row (i32.add (local.get $row) (i32.const 8)))
      (br_if $eight_dims
        (i32.lt_u (local.tee $centre (i32.add (local.get $centre) (i32.const 32))) (local.get $end)))))

  ;; Leaves a 1 in the mask where it had one and `allowed` is not 0; answers how many are left.
  (func (export "narrowMask") (param $mask i32) (param $allowed i32) (param $count i32) (result i32)
    (local $end i32) (local $both v128) (local $total i32)
    (local.set $end (i32.add (local.get $mask) (local.get $count)))
    (loop $sixteen
      (local.set $both
        (v128.andnot
          (v128.load (local.get $mask))
          (i8x16.eq (v128.load (local.get $allowed)) (v128.const i64x2 0 0))))
      (v128.store (local.get $mask) (local.get $both))
      (local.set $total
        (i32.add
          (local.get $total)
          (i32.popcnt (i8x16.bitmask (i8x16.ne (local.get $both) (v128.const i64x2 0 0))))))
      (local.set $allowed (i32.add (local.get $allowed) (i32.const 16)))
      (br_if $sixteen
        (i32.lt_u (local.tee $mask (i32.add (local.get $mask) (i32.const 16))) (local.get $end))))
    (local.get $total))

  ;; Adds to a list the slots from `slot` on whose bits are set in `found`; answers where the list goes on.
  (func $append (param $next i32) (param $slot i32) (param $found i32) (result i32)
    (loop $each
      (i32.store (local.get $next) (i32.add (local.get $slot) (i32.ctz (local.get $found))))
      (local.set $next (i32.add (local.get $next) (i32.const 4)))
      (br_if $each
        (local.tee $found (i32.and (local.get $found) (i32.sub (local.get $found) (i32.const 1))))))
    (local.get $next))

  ;; Lists the slots whose mask is not 0, in order.
  (func (export "listAllowed") (param $mask i32) (param $count i32) (param $list i32) (result i32)
    (local $slot i32) (local $next i32) (local $found i32)
    (local.set $next (local.get $list))
    (loop $sixteen
      (local.set $found
        (i8x16.bitmask
          (i8x16.ne (v128.load (i32.add (local.get $mask) (local.get $slot))) (v128.const i64x2 0 0))))
      (if (local.get $found)
        (then (local.set $next (call $append (local.get $next) (local.get $slot) (local.get $found)))))
      (br_if $sixteen
        (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const 16))) (local.get $count))))
    (i32.shr_u (i32.sub (local.get $next) (local.get $list)) (i32.const 2)))

  ;; The penalties of 16 dimensions of sixteen slots, from four tables: `signs` points to the first 8 dimensions' bits.
  ;; At most 4 × 63, so they add up in a byte. No index is above 15, for which relaxed_swizzle need not check.
  (func $penalties (param $signs i32) (param $table i32) (result v128)
    (local $low v128) (local $high v128) (local $four v128)
    (local.set $four (i8x16.splat (i32.const 15)))
    (local.set $low (v128.load (local.get $signs)))
    (local.set $high (v128.load offset=16 (local.get $signs)))
    (i8x16.add
      (i8x16.add
        (i8x16.relaxed_swizzle
          (v128.load (local.get $table))
          (v128.and (local.get $low) (local.get $four)))
        (i8x16.relaxed_swizzle
          (v128.load offset=16 (local.get $table))
          (v128.and (i16x8.shr_u (local.get $low) (i32.const 4)) (local.get $four))))
      (i8x16.add
        (i8x16.relaxed_swizzle
          (v128.load offset=32 (local.get $table))
          (v128.and (local.get $high) (local.get $four)))
        (i8x16.relaxed_swizzle
          (v128.load offset=48 (local.get $table))
          (v128.and (i16x8.shr_u (local.get $high) (i32.const 4)) (local.get $four))))))

  ;; Writes the distances of sixteen slots from the sums of their even and odd lanes; 65535 where the mask is 0.
  (func $store_distances (param $distances i32) (param $mask i32) (param $even v128) (param $odd v128)
    (local $out v128)
    (local.set $even (i16x8.sub (local.get $even) (i16x8.shl (local.get $odd) (i32.const 8))))
    (local.set $out (i8x16.eq (v128.load (local.get $mask)) (v128.const i64x2 0 0)))
    (v128.store
      (local.get $distances)
      (v128.or
        (i16x8.extend_low_i8x16_s (local.get $out))
        (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $even) (local.get $odd))))
    (v128.store offset=16
      (local.get $distances)
      (v128.or
        (i16x8.extend_high_i8x16_s (local.get $out))
        (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $even) (local.get $odd)))))

  ;; For each slot of a block the summed penalties of the dimensions whose sign is not the query's.
  ;; Two groups go together that lie half a block apart: memory then brings two streams at once.
  ;; Sums have 16 bits: bytes of odd lanes are added on their own, and taken out of the even ones at the end.
  (func (export "scanSigns") (param $signs i32) (param $mask i32) (param $distances i32)
    (local $half i32) (local $end i32) (local $table i32) (local $table_end i32) (local $sum v128)
    (local $even0 v128) (local $odd0 v128) (local $even1 v128) (local $odd1 v128)
    (local.set $half (i32.shl (global.get $dims) (i32.const 6)))
    (local.set $end (i32.add (local.get $distances) (i32.const 1024)))
    (local.set $table_end (i32.add (global.get $penalties_at) (i32.shl (global.get $dims) (i32.const 2))))
    (loop $groups
      (local.set $even0 (v128.const i64x2 0 0))
      (local.set $odd0 (v128.const i64x2 0 0))
      (local.set $even1 (v128.const i64x2 0 0))
      (local.set $odd1 (v128.const i64x2 0 0))
      (local.set $table (global.get $penalties_at))
      (loop $sixteen
        (local.set $sum (call $penalties (local.get $signs) (local.get $table)))
        (local.set $even0 (i16x8.add (local.get $even0) (local.get $sum)))
        (local.set $odd0 (i16x8.add (local.get $odd0) (i16x8.shr_u (local.get $sum) (i32.const 8))))
        (local.set $sum
          (call $penalties (i32.add (local.get $signs) (local.get $half)) (local.get $table)))
        (local.set $even1 (i16x8.add (local.get $even1) (local.get $sum)))
        (local.set $odd1 (i16x8.add (local.get $odd1) (i16x8.shr_u (local.get $sum) (i32.const 8))))
        (local.set $signs (i32.add (local.get $signs) (i32.const 32)))
        (br_if $sixteen
          (i32.lt_u (local.tee $table (i32.add (local.get $table) (i32.const 64))) (local.get $table_end))))
      (call $store_distances (local.get $distances) (local.get $mask) (local.get $even0) (local.get $odd0))
      (call $store_distances
        (i32.add (local.get $distances) (i32.const 1024))
        (i32.add (local.get $mask) (i32.const 512))
        (local.get $even1)
        (local.get $odd1))
      (local.set $mask (i32.add (local.get $mask) (i32.const 16)))
      (br_if $groups
        (i32.lt_u (local.tee $distances (i32.add (local.get $distances) (i32.const 32))) (local.get $end)))))

  (func $tally (param $bucket i32)
    (local.set $bucket (i32.add (global.get $histogram_at) (i32.shl (local.get $bucket) (i32.const 2))))
    (i32.store (local.get $bucket) (i32.add (i32.load (local.get $bucket)) (i32.const 1))))

  ;; Counts distances in buckets of four, one after every `step` bytes.
  (func (export "tallyDistances") (param $distances i32) (param $count i32) (param $step i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $distances) (i32.shl (local.get $count) (i32.const 1))))
    (loop $each
      (call $tally (i32.shr_u (i32.load16_u (local.get $distances)) (i32.const 2)))
      (br_if $each
        (i32.lt_u
          (local.tee $distances (i32.add (local.get $distances) (local.get $step)))
          (local.get $end)))))

  ;; Lists the slots whose distance is at most `limit`, in order.
  (func (export "listNear") (param $distances i32) (param $count i32) (param $limit i32) (param $list i32)
    (result i32) (local $slot i32) (local $next i32) (local $found i32) (local $limits v128)
    (local.set $limits (i16x8.splat (local.get $limit)))
    (local.set $next (local.get $list))
    (loop $eight
      (local.set $found (i16x8.bitmask (i16x8.le_u (v128.load (local.get $distances)) (local.get $limits))))
      (if (local.get $found)
        (then (local.set $next (call $append (local.get $next) (local.get $slot) (local.get $found)))))
      (local.set $distances (i32.add (local.get $distances) (i32.const 16)))
      (br_if $eight
        (i32.lt_u (local.tee $slot (i32.add (local.get $slot) (i32.const 8))) (local.get $count))))
    (i32.shr_u (i32.sub (local.get $next) (local.get $list)) (i32.const 2)))

  ;; One listed slot's score from its four partial sums.
  (func $store_int8_score (param $list i32) (param $score i32) (param $sums v128) (param $query_scale f32)
    (local $slot i32)
    (local.set $slot (i32.load (local.get $list)))
    (f32.store
      (local.get $score)
      (f32.mul
        (f32.mul
          (local.get $query_scale)
          (call $scale_of (local.get $slot)))
        (f32.convert_i32_s
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
            (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))))))

  ;; Scores the listed slots by their int8 rows, four at a time so that each part of the query is read once
  ;; for four rows. The query has 16 bits, which costs nothing here: rows are widened to 16 bits anyway.
  (func (export "scoreInt8") (param $list i32) (param $count i32) (param $scores i32) (param $query_scale f32)
    (local $end i32) (local $at i32) (local $query i32) (local $low v128) (local $high v128) (local $row0 i32)
    (local $row1 i32) (local $row2 i32) (local $row3 i32) (local $sum0 v128) (local $sum1 v128)
    (local $sum2 v128) (local $sum3 v128)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (loop $four
      (local.set $row0 (call $int8_row (i32.load (local.get $list))))
      (local.set $row1 (call $int8_row (i32.load offset=4 (local.get $list))))
      (local.set $row2 (call $int8_row (i32.load offset=8 (local.get $list))))
      (local.set $row3 (call $int8_row (i32.load offset=12 (local.get $list))))
      (local.set $sum0 (v128.const i64x2 0 0))
      (local.set $sum1 (v128.const i64x2 0 0))
      (local.set $sum2 (v128.const i64x2 0 0))
      (local.set $sum3 (v128.const i64x2 0 0))
      (local.set $at (i32.const 0))
      (local.set $query (global.get $query_int16_at))
      (loop $sixteen
        (local.set $low (v128.load (local.get $query)))
        (local.set $high (v128.load offset=16 (local.get $query)))
        (local.set $sum0
          (i32x4.add
            (i32x4.add
              (local.get $sum0)
              (i32x4.dot_i16x8_s
                (local.get $low)
                (v128.load8x8_s (i32.add (local.get $row0) (local.get $at)))))
            (i32x4.dot_i16x8_s
              (local.get $high)
              (v128.load8x8_s offset=8 (i32.add (local.get $row0) (local.get $at))))))
        (local.set $sum1
          (i32x4.add
            (i32x4.add
              (local.get $sum1)
              (i32x4.dot_i16x8_s
                (local.get $low)
                (v128.load8x8_s (i32.add (local.get $row1) (local.get $at)))))
            (i32x4.dot_i16x8_s
              (local.get $high)
              (v128.load8x8_s offset=8 (i32.add (local.get $row1) (local.get $at))))))
        (local.set $sum2
          (i32x4.add
            (i32x4.add
              (local.get $sum2)
              (i32x4.dot_i16x8_s
                (local.get $low)
                (v128.load8x8_s (i32.add (local.get $row2) (local.get $at)))))
            (i32x4.dot_i16x8_s
              (local.get $high)
              (v128.load8x8_s offset=8 (i32.add (local.get $row2) (local.get $at))))))
        (local.set $sum3
          (i32x4.add
            (i32x4.add
              (local.get $sum3)
              (i32x4.dot_i16x8_s
                (local.get $low)
                (v128.load8x8_s (i32.add (local.get $row3) (local.get $at)))))
            (i32x4.dot_i16x8_s
              (local.get $high)
              (v128.load8x8_s offset=8 (i32.add (local.get $row3) (local.get $at))))))
        (local.set $query (i32.add (local.get $query) (i32.const 32)))
        (br_if $sixteen
          (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (global.get $dims))))
      (call $store_int8_score
        (local.get $list)
        (local.get $scores)
        (local.get $sum0)
        (local.get $query_scale))
      (call $store_int8_score
        (i32.add (local.get $list) (i32.const 4))
        (i32.add (local.get $scores) (i32.const 4))
        (local.get $sum1)
        (local.get $query_scale))
      (call $store_int8_score
        (i32.add (local.get $list) (i32.const 8))
        (i32.add (local.get $scores) (i32.const 8))
        (local.get $sum2)
        (local.get $query_scale))
      (call $store_int8_score
        (i32.add (local.get $list) (i32.const 12))
        (i32.add (local.get $scores) (i32.const 12))
        (local.get $sum3)
        (local.get $query_scale))
      (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $list (i32.add (local.get $list) (i32.const 16))) (local.get $end)))))

  ;; Counts scores in buckets: bucket = (score + shift) * perUnit, at most `last`.
  (func (export "tallyScores") (param $scores i32) (param $count i32) (param $shift f32) (param $per_unit f32)
    (param $last f32) (local $end i32)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (call $tally
        (i32.trunc_sat_f32_u
          (f32.min
            (f32.mul (f32.add (f32.load (local.get $scores)) (local.get $shift)) (local.get $per_unit))
            (local.get $last))))
      (br_if $each
        (i32.lt_u (local.tee $scores (i32.add (local.get $scores) (i32.const 4))) (local.get $end)))))

  ;; Keeps, in place and in order, the listed slots that score at least `limit`.
  (func (export "keepAtLeast") (param $list i32) (param $scores i32) (param $count i32) (param $limit f32)
    (result i32) (local $end i32) (local $from i32) (local $next i32)
    (local.set $from (local.get $list))
    (local.set $next (local.get $list))
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (loop $each
      (i32.store (local.get $next) (i32.load (local.get $from)))
      (local.set $next
        (i32.add
          (local.get $next)
          (i32.shl (f32.ge (f32.load (local.get $scores)) (local.get $limit)) (i32.const 2))))
      (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
      (br_if $each (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 4))) (local.get $end))))
    (i32.shr_u (i32.sub (local.get $next) (local.get $list)) (i32.const 2)))

  ;; Scores float32 rows that stand one after the other. The order of the additions never depends on the place, so a
  ;; slot's score is the same to the bit however it was found.
  (func (export "scoreFloat32") (param $row i32) (param $count i32) (param $scores i32)
    (local $end i32) (local $query i32) (local $query_end i32) (local $sum0 v128)
    (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $query_end (i32.add (global.get $query_float32_at) (i32.shl (global.get $dims) (i32.const 2))))
    (loop $each
      (local.set $query (global.get $query_float32_at))
      (local.set $sum0 (v128.const i64x2 0 0))
      (local.set $sum1 (v128.const i64x2 0 0))
      (local.set $sum2 (v128.const i64x2 0 0))
      (local.set $sum3 (v128.const i64x2 0 0))
      (loop $sixteen
        (local.set $sum0
          (f32x4.add
            (local.get $sum0)
            (f32x4.mul (v128.load (local.get $query)) (v128.load (local.get $row)))))
        (local.set $sum1
          (f32x4.add
            (local.get $sum1)
            (f32x4.mul (v128.load offset=16 (local.get $query)) (v128.load offset=16 (local.get $row)))))
        (local.set $sum2
          (f32x4.add
            (local.get $sum2)
            (f32x4.mul (v128.load offset=32 (local.get $query)) (v128.load offset=32 (local.get $row)))))
        (local.set $sum3
          (f32x4.add
            (local.get $sum3)
            (f32x4.mul (v128.load offset=48 (local.get $query)) (v128.load offset=48 (local.get $row)))))
        (local.set $row (i32.add (local.get $row) (i32.const 64)))
        (br_if $sixteen
          (i32.lt_u (local.tee $query (i32.add (local.get $query) (i32.const 64))) (local.get $query_end))))
      (local.set $sum0
        (f32x4.add
          (f32x4.add (local.get $sum0) (local.get $sum1))
          (f32x4.add (local.get $sum2) (local.get $sum3))))
      (f32.store
        (local.get $scores)
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $sum0)) (f32x4.extract_lane 1 (local.get $sum0)))
          (f32.add (f32x4.extract_lane 2 (local.get $sum0)) (f32x4.extract_lane 3 (local.get $sum0)))))
      (br_if $each (i32.lt_u (local.tee $scores (i32.add (local.get $scores) (i32.const 4))) (local.get $end))))))
