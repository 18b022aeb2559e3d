// Weight layout of the cpu backend. LANES output rows form a group; one vector lane computes one output row.
//   F32, F16, BF16: [group][k][lane]
//   Q8_0:           [group] of { [block of 32][k / 4 : 8][lane][4 bytes], [block][lane] f16 scale }
//   Q4_0:           [group] of { [block of 32][j : 4][lane][4 bytes], [block][lane] f16 scale }; the low nibbles of
//                   vector j are elements 4j..4j+3, the high ones 16+4j..16+4j+3
// Missing rows of the last group are zero.

constexpr int64_t padded(int64_t rows) { return (rows + LANES - 1) / LANES; }

int64_t groupBytes(int32_t type, int64_t cols) {
    switch (type) {
        case BT_TYPE_F32: return cols * LANES * 4;
        case BT_TYPE_Q8_0: return cols / 32 * (LANES * 34);
        case BT_TYPE_Q4_0: return cols / 32 * (LANES * 18);
        default: return cols * LANES * 2;
    }
}

int64_t packedBytes(int32_t type, int64_t rows, int64_t cols) { return padded(rows) * groupBytes(type, cols); }

void packRow(int32_t type, int64_t cols, const uint8_t* from, uint8_t* group, int64_t lane) {
    const int64_t blocks = cols / 32;
    if (type == BT_TYPE_Q8_0) {
        uint8_t* scales = group + blocks * (LANES * 32);
        for (int64_t b = 0; b < blocks; b++) {
            memcpy(scales + (b * LANES + lane) * 2, from + b * 34, 2);
            for (int64_t k = 0; k < 32; k++)
                group[((b * 8 + k / 4) * LANES + lane) * 4 + k % 4] = static_cast<uint8_t>(from[b * 34 + 2 + k] ^ WEIGHT_XOR);
        }
    } else if (type == BT_TYPE_Q4_0) {
        uint8_t* scales = group + blocks * (LANES * 16);
        for (int64_t b = 0; b < blocks; b++) {
            memcpy(scales + (b * LANES + lane) * 2, from + b * 18, 2);
            for (int64_t k = 0; k < 16; k++) group[((b * 4 + k / 4) * LANES + lane) * 4 + k % 4] = from[b * 18 + 2 + k];
        }
    } else if (type == BT_TYPE_F32) {
        for (int64_t k = 0; k < cols; k++) memcpy(group + (k * LANES + lane) * 4, from + k * 4, 4);
    } else {
        for (int64_t k = 0; k < cols; k++) memcpy(group + (k * LANES + lane) * 2, from + k * 2, 2);
    }
}

void pack(int32_t type, int64_t rows, int64_t cols, const uint8_t* from, uint8_t* to) {
    const int64_t rowBytes = groupBytes(type, cols) / LANES;
    for (int64_t row = 0; row < rows; row++)
        packRow(type, cols, from + row * rowBytes, to + row / LANES * groupBytes(type, cols), row % LANES);
}

void unpackRow(const MatrixView& m, int64_t row, float* out) {
    const uint8_t* group = m.data + row / LANES * groupBytes(m.type, m.cols);
    const int64_t lane = row % LANES;
    const int64_t blocks = m.cols / 32;
    for (int64_t k = 0; k < m.cols; k++) {
        const int64_t b = k / 32;
        const int64_t in = k % 32;
        if (m.type == BT_TYPE_Q8_0) {
            const uint8_t w = group[((b * 8 + in / 4) * LANES + lane) * 4 + in % 4];
            const float d = f16ToF32(load16(group + blocks * (LANES * 32) + (b * LANES + lane) * 2));
            out[k] = d * static_cast<float>(static_cast<int8_t>(w ^ WEIGHT_XOR));
        } else if (m.type == BT_TYPE_Q4_0) {
            const uint8_t w = group[((b * 4 + in % 16 / 4) * LANES + lane) * 4 + in % 4];
            const float d = f16ToF32(load16(group + blocks * (LANES * 16) + (b * LANES + lane) * 2));
            out[k] = d * static_cast<float>((in < 16 ? w & 15 : w >> 4) - 8);
        } else if (m.type == BT_TYPE_F32) {
            memcpy(out + k, group + (k * LANES + lane) * 4, 4);
        } else {
            const uint16_t h = load16(group + (k * LANES + lane) * 2);
            out[k] = m.type == BT_TYPE_F16 ? f16ToF32(h) : bf16ToF32(h);
        }
    }
}
