# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of regions of images, of patches, and of convolutions that read between elements."""
import numpy as np

from op_cases import Const, integers, numbers, op


def bilinear(image, y, x, zeros=False):
    """The element of an image [C, H, W] at a position. With `zeros`, elements outside are 0."""
    height, width = image.shape[1:]
    if not zeros:
        y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = int(np.floor(y)), int(np.floor(x))
    total = np.zeros(image.shape[0])
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            if down * across and 0 <= row < height and 0 <= column < width:
                total += down * across * image[:, row, column]
    return total


def align_case(name, opset, regions, images, mode, ratio, scale=1.0, aligned="asymmetric", size=(2, 3), data=None):
    data = numbers(2, 3, 5, 6) if data is None else data
    extra = {"aligned_mode": aligned} if opset >= 9 else {}

    def run(x, regions, images):
        out = np.zeros((len(regions), x.shape[1]) + size)
        height, width = x.shape[2:]
        for r, corners in enumerate(regions):
            moved = (corners + (0.5 if aligned == "half_pixel" else 0)) * scale - (0 if aligned == "asymmetric" else 0.5)
            extent = moved[2:] - moved[:2]
            if aligned == "asymmetric":
                extent = np.maximum(extent, 1)
            bins = extent / size[::-1]
            counts = [ratio or max(int(np.ceil(b)), 0) for b in bins]
            for i, j in np.ndindex(*size):
                samples = []
                for a, b in np.ndindex(counts[1], counts[0]):
                    y = moved[1] + i * bins[1] + (a + 0.5) * bins[1] / counts[1]
                    x_at = moved[0] + j * bins[0] + (b + 0.5) * bins[0] / counts[0]
                    inside = -1 <= y <= height and -1 <= x_at <= width
                    samples.append(bilinear(x[images[r]], y, x_at) if inside else np.zeros(x.shape[1]))
                if samples:
                    out[r, :, i, j] = np.mean(samples, 0) if mode == "avg" else np.maximum(np.max(samples, 0), 0)
        return out

    op("ROIAlign", opset, inputs=(data, np.array(regions, np.float32).reshape(-1, 4), np.array(images, np.int64)),
       static=True, name=f"roi_align_{name}", pooled_h=size[0], pooled_w=size[1], sampling_ratio=ratio,
       spatial_scale=scale, mode=mode, **extra)(run)


BOXES = [[0.3, 0.7, 4.1, 3.9], [1, 1, 1.5, 1.25], [-2.5, -1.75, 2, 8]]
align_case("avg", 3, BOXES, [0, 1, 1], "avg", 2)
align_case("max", 3, BOXES, [1, 0, 0], "max", 2, scale=0.5)
align_case("elements", 3, BOXES, [1, 0, 1], "avg", 0)
align_case("elements_max", 9, BOXES + [[3, 3, 1, 1]], [1, 0, 1, 0], "max", 0, aligned="half_pixel")
align_case("half_pixel", 9, BOXES + [[3, 3, 1, 1]], [1, 0, 1, 0], "avg", 3, scale=0.75, aligned="half_pixel")
align_case("half_pixel_for_nn", 14, BOXES, [0, 0, 1], "avg", 1, scale=2.0, aligned="half_pixel_for_nn")
align_case("below_zero", 9, BOXES, [0, 0, 1], "max", 2, data=numbers(2, 1, 4, 4, least=-3, most=-1))
align_case("weightless", 9, [[0, 0, 4, 4]], [0], "avg", 1, size=(2, 2),
           data=np.array([[[[1, 2, np.nan, 3], [4, 5, np.inf, 7], [np.nan, np.inf, 6, 8], [9, 10, 11, 12]]]], np.float32))
align_case("none", 9, [], [], "avg", 0)


def rotated_case(name, ratio, clockwise=True, scale=1.0, size=(2, 3), turned=None):
    data = numbers(2, 3, 5, 6)
    turned = TURNED if turned is None else turned

    @op("ROIAlignRotated", 15, inputs=(data, np.array(turned, np.float32).reshape(-1, 5), np.arange(len(turned)) % 2),
        static=True, name=f"roi_align_rotated_{name}", pooled_h=size[0], pooled_w=size[1], sampling_ratio=ratio,
        spatial_scale=scale, clockwise_mode=clockwise)
    def run(x, regions, images):
        out = np.zeros((len(regions), x.shape[1]) + size)
        height, width = x.shape[2:]
        for r, (middle_x, middle_y, wide, high, angle) in enumerate(regions):
            # A step to the right, and a step down, of the region that is turned.
            angle = angle if clockwise else -angle
            right = np.array([np.sin(angle), np.cos(angle)])
            down = np.array([np.cos(angle), -np.sin(angle)])
            counts = [ratio or max(int(np.ceil(np.float32(length * scale) / n)), 0) for length, n in zip((high, wide), size)]
            for i, j in np.ndindex(*size):
                samples = []
                for a, b in np.ndindex(*counts):
                    along = ((i + (a + 0.5) / counts[0]) / size[0] - 0.5) * high * scale
                    across = ((j + (b + 0.5) / counts[1]) / size[1] - 0.5) * wide * scale
                    y, z = np.array([middle_y, middle_x]) * scale - 0.5 + along * down + across * right
                    inside = -1 <= y <= height and -1 <= z <= width
                    samples.append(bilinear(x[images[r]], y, z) if inside else np.zeros(x.shape[1]))
                if samples:
                    out[r, :, i, j] = np.mean(samples, 0)
        return out


TURNED = [[2.5, 2.25, 4.1, 3.2, 0.5], [1, 1, 0.5, 0.25, -2.0], [-0.5, 4.75, 6, 5, 1.25], [3, 2, 2.75, 4.5, 0.0]]
rotated_case("clockwise", 2)
rotated_case("other", 2, clockwise=False, scale=0.75)
rotated_case("elements", 0, scale=1.5)
rotated_case("elements_other", 0, clockwise=False, turned=TURNED + [[2, 2, -1.5, 2, 0.25]])
rotated_case("none", 0, turned=[])


def pyramid_case(name, levels, ratio, aligned=False, size=2, regions=None):
    regions = SPREAD if regions is None else regions
    images = [numbers(1, 3, 24 >> i, 20 >> i, seed=i) for i in range(levels)]
    scales = [32 << i for i in range(levels)]

    @op("ExperimentalDetectronROIFeatureExtractor", 6, inputs=(np.array(regions, np.float32).reshape(-1, 4), *images),
        static=True, name=f"roi_features_{name}", output_size=size, sampling_ratio=ratio,
        pyramid_scales=",".join(map(str, scales)), aligned=aligned)
    def run(regions, *images):
        out = np.zeros((len(regions), 3, size, size))
        for r, corners in enumerate(regions):
            wide, high = np.float32(corners[2:]) - np.float32(corners[:2])
            if wide * high <= 0:
                continue
            level = int(np.clip(np.floor(np.log2(np.sqrt(wide * high) / 224 + 1e-6) + 2), 0, levels - 1))
            moved = corners / scales[level] - (0.5 if aligned else 0)
            bins = np.maximum(moved[2:] - moved[:2], 1) / size
            counts = [ratio or int(np.ceil(b)) for b in bins]
            height, width = images[level].shape[2:]
            for i, j in np.ndindex(size, size):
                for a, b in np.ndindex(counts[1], counts[0]):
                    y = moved[1] + (i + (a + 0.5) / counts[1]) * bins[1]
                    z = moved[0] + (j + (b + 0.5) / counts[0]) * bins[0]
                    if -1 <= y <= height and -1 <= z <= width:
                        out[r, :, i, j] += bilinear(images[level][0], y, z) / (counts[0] * counts[1])
        return out, regions


# Regions of all levels; one without an area, one upside down, one at a level's limit, and one beyond the image.
SPREAD = [[10, 20, 90, 110], [30, 40, 250, 190], [100, 50, 350, 330], [-64, -80, 500, 640], [40, 40, 40, 90],
                 [90, 90, 30, 20], [0, 0, 112, 112], [300, 400, 900, 700], [5, 5, 6.5, 7]]
pyramid_case("levels", 4, 2)
pyramid_case("aligned", 3, 2, aligned=True, size=3)
pyramid_case("elements", 4, 0)
pyramid_case("one", 1, 1)
pyramid_case("none", 2, 2, regions=[])


def rectangles(x, image, rows, columns, combine):
    """Combines the rectangle of an image; 0 if it has no elements."""
    def clamp(pair, length):
        return slice(*(int(min(max(at, 0), length)) for at in pair))

    part = x[image][:, clamp(rows, x.shape[2]), clamp(columns, x.shape[3])]
    return combine(part.reshape(len(part), -1), axis=1) if part[0].size else np.zeros(x.shape[1])


def away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


POOLED = np.array([[1, 0.5, 1, 4.5, 3.2], [0, -3, -3, -2, -2], [0, 3, 2, 1, 1], [1, 3, 1, 20, 2]], np.float32)


@op("ROIPooling", 2, inputs=(numbers(2, 3, 5, 6), POOLED), static=True, pooled_h=2, pooled_w=3, spatial_scale=0.5,
    method="max", output_size="2,3", output_roi="2,3")
def roi_pooling_max(x, regions):
    out = np.zeros((len(regions), 3, 2, 3))
    for r, region in enumerate(regions):
        left, top, right, bottom = away(region[1:] * 0.5)
        high, wide = max(bottom - top + 1, 1) / 2, max(right - left + 1, 1) / 3
        for i, j in np.ndindex(2, 3):
            rows = top + np.floor(i * high), top + np.ceil((i + 1) * high)
            columns = left + np.floor(j * wide), left + np.ceil((j + 1) * wide)
            out[r, :, i, j] = rectangles(x, int(region[0]), rows, columns, np.max)
    return out


def position_case(name, size):
    @op("ROIPooling", 2, static=True, name=f"roi_pooling_{name}", pooled_h=size[0], pooled_w=size[1], spatial_scale=1.0,
        method="bilinear", inputs=(numbers(2, 3, 5, 6), np.array([[1, 0.125, 0.25, 0.75, 0.875], [0, -0.25, 0, 0.5, 1.25],
                                                                  [0, 0.875, 0.75, 0.25, 0]], np.float32)))
    def run(x, regions):
        out = np.zeros((len(regions), 3) + size)
        for r, region in enumerate(regions):
            for i, j in np.ndindex(*size):
                at = []
                for index, count, begin, end, length in ((i, size[0], region[2], region[4], 5),
                                                         (j, size[1], region[1], region[3], 6)):
                    part = 0.5 if count == 1 else index / (count - 1)
                    at.append((begin + part * (end - begin)) * (length - 1))
                if 0 <= at[0] <= 4 and 0 <= at[1] <= 5:
                    out[r, :, i, j] = bilinear(x[int(region[0])], *at)
        return out


position_case("bilinear", (2, 3))
position_case("bilinear_one", (1, 1))


@op("PSROIPooling", 1, inputs=(numbers(2, 12, 5, 6), POOLED), static=True, output_dim=3, group_size=2,
    spatial_scale=0.5, mode="average")
def psroi_pooling_average(x, regions):
    out = np.zeros((len(regions), 3, 2, 2))
    for r, region in enumerate(regions):
        left, top = away(region[1:3]) * 0.5
        right, bottom = (away(region[3:]) + 1) * 0.5
        high, wide = (bottom - top) / 2, (right - left) / 2
        for c, i, j in np.ndindex(3, 2, 2):
            rows = np.floor(top + i * high), np.ceil(top + (i + 1) * high)
            columns = np.floor(left + j * wide), np.ceil(left + (j + 1) * wide)
            out[r, c, i, j] = rectangles(x, int(region[0]), rows, columns, np.mean)[(c * 2 + i) * 2 + j]
    return out


def parts_case(name, group, parts):
    data = numbers(2, 2 * parts[0] * parts[1], 5, 6)

    @op("PSROIPooling", 1, static=True, name=f"psroi_pooling_{name}", output_dim=2, group_size=group, spatial_scale=1.0,
        mode="bilinear", spatial_bins_y=parts[0], spatial_bins_x=parts[1],
        inputs=(data, np.array([[1, 0.125, 0.25, 0.75, 0.8125], [0, -0.25, 0, 0.5, 1.75]], np.float32)))
    def run(x, regions):
        out = np.zeros((len(regions), 2, group, group))
        for r, region in enumerate(regions):
            for i, j in np.ndindex(group, group):
                for a, b in np.ndindex(*parts):
                    at = []
                    for index, part, count, begin, end, length in (
                            (i, a, parts[0], region[2], region[4], 5), (j, b, parts[1], region[1], region[3], 6)):
                        size = (end - begin) / count
                        share = 0.5 if group == 1 else index / (group - 1)
                        at.append((begin + (part + share) * size) * (length - 1))
                    first = (a * parts[1] + b) * 2
                    if 0 <= at[0] < 5 and 0 <= at[1] < 6:
                        out[r, :, i, j] += bilinear(x[int(region[0])], *at)[first:first + 2] / (parts[0] * parts[1])
        return out


parts_case("bilinear", 2, (2, 3))
parts_case("bilinear_one", 1, (1, 2))


def moved_case(name, group=2, parts=(2, 3), outputs=4, offsets=None, std=1.0, part=1, scale=0.5, regions=None):
    data = numbers(2, outputs * group * group, 5, 6)
    regions = MOVED if regions is None else regions
    given = (data, np.array(regions, np.float32).reshape(-1, 5)) + (() if offsets is None else (offsets,))

    @op("DeformablePSROIPooling", 1, static=True, name=f"deformable_psroi_pooling_{name}", output_dim=outputs,
        group_size=group, spatial_scale=scale, mode="bilinear_deformable", spatial_bins_y=parts[0],
        spatial_bins_x=parts[1], trans_std=std, part_size=part, inputs=given)
    def run(x, regions, offsets=None):
        out = np.zeros((len(regions), outputs, group, group))
        height, width = x.shape[2:]
        for (r, c, i, j), _ in np.ndenumerate(out):
            image = int(regions[r, 0])
            if image < 0:
                continue
            begin = away(regions[r, 1:3]) * scale - 0.5
            length = np.maximum((away(regions[r, 3:]) + 1) * scale - 0.5 - begin, 0.1)
            start = begin + np.array([j, i]) * length / group
            if offsets is not None:
                kind = c // (outputs // (offsets.shape[1] // 2))
                place = i * part // group, j * part // group
                start += offsets[r, kind * 2:kind * 2 + 2, place[0], place[1]] * std * length
            step = length / group / parts[::-1]
            samples = []
            for a, b in np.ndindex(*parts):
                z, y = start + step * [b, a]
                if -0.5 <= y <= height - 0.5 and -0.5 <= z <= width - 0.5:
                    samples.append(bilinear(x[image, [(c * group + i) * group + j]], y, z)[0])
            out[r, c, i, j] = np.mean(samples) if samples else 0
        return out


MOVED = [[1, 0.5, 1, 9.5, 7.2], [0, -3, -3, 4, 2], [0, 3, 2, 1, 1], [-1, 3, 1, 20, 2], [1, 30, 30, 40, 40]]
moved_case("plain")
moved_case("offsets", offsets=numbers(5, 2, 2, 2, seed=1), std=0.1, part=2)
moved_case("classes", offsets=numbers(5, 4, 3, 3, seed=1), std=0.25, part=3, parts=(1, 2))
moved_case("coarse", group=3, outputs=2, offsets=numbers(5, 4, 2, 2, seed=1), std=0.5, part=2, parts=(3, 1), scale=0.75)
moved_case("none", regions=[], offsets=numbers(0, 2, 1, 1))


def patch_case(name, sizes, strides, rates, auto_pad, data=None):
    data = numbers(2, 3, 5, 6) if data is None else data

    def run(x):
        starts, counts = [], []
        for length, size, stride, rate in zip(x.shape[2:], sizes, strides, rates):
            reach = (size - 1) * rate + 1
            count = (length - reach) // stride + 1 if auto_pad == "valid" else -(-length // stride)
            total = max((count - 1) * stride + reach - length, 0) if auto_pad != "valid" else 0
            starts.append(total // 2 if auto_pad == "same_upper" else total - total // 2)
            counts.append(count)
        out = np.zeros((x.shape[0], sizes[0], sizes[1], x.shape[1], *counts))
        for a, b, i, j in np.ndindex(*sizes, *counts):
            row = i * strides[0] - starts[0] + a * rates[0]
            column = j * strides[1] - starts[1] + b * rates[1]
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                out[:, a, b, :, i, j] = x[:, :, row, column]
        return out.reshape(x.shape[0], -1, *counts)

    op("ExtractImagePatches", 3, inputs=(data,), static=True, name=f"extract_image_patches_{name}",
       sizes="{},{}".format(*sizes), strides="{},{}".format(*strides), rates="{},{}".format(*rates),
       auto_pad=auto_pad)(run)


patch_case("valid", (2, 3), (2, 1), (1, 2), "valid")
patch_case("upper", (3, 2), (2, 3), (2, 1), "same_upper", integers(1, 2, 6, 5))
patch_case("lower", (2, 2), (1, 1), (1, 3), "same_lower")
patch_case("gaps", (1, 1), (3, 4), (1, 1), "same_upper")


def image_case(name, channels, image, kernel, strides, dilations, begin, end, batch=2, dtype=np.float32, const=True):
    counts = [(n + b + e - d * (k - 1) - 1) // s + 1 for n, k, s, d, b, e in
              zip(image, kernel, strides, dilations, begin, end)]
    shape = ((batch,) if batch else ()) + (channels * kernel[0] * kernel[1], counts[0] * counts[1])
    data = numbers(*shape) if dtype == np.float32 else integers(*shape, dtype=dtype)
    text = {key: "{},{}".format(*value) for key, value in
            dict(strides=strides, dilations=dilations, pads_begin=begin, pads_end=end).items()}

    def run(x, *_):
        split = x.reshape(-1, channels, *kernel, *counts)
        out = np.zeros((len(split), channels) + image)
        for a, b, i, j in np.ndindex(*kernel, *counts):
            row = i * strides[0] + a * dilations[0] - begin[0]
            column = j * strides[1] + b * dilations[1] - begin[1]
            if 0 <= row < image[0] and 0 <= column < image[1]:
                out[:, :, row, column] += split[:, :, a, b, i, j]
        return out if batch else out[0]

    sizes = [np.array(image, np.int64), np.array(kernel, np.int64)]
    op("Col2Im", 15, inputs=(data, *(map(Const, sizes) if const else sizes)), static=True, name=f"col2im_{name}",
       **text)(run)


image_case("plain", 2, (4, 5), (2, 2), (1, 1), (1, 1), (0, 0), (0, 0))
image_case("all", 3, (6, 5), (3, 2), (2, 3), (1, 2), (1, 2), (2, 1), batch=0)
image_case("gaps", 1, (7, 7), (1, 2), (3, 4), (1, 1), (0, 0), (0, 0), dtype=np.int64)
image_case("computed", 2, (4, 4), (2, 3), (2, 1), (2, 1), (1, 0), (0, 1), const=False)


def deformable_case(name, opset, strides=(1, 1), begin=(0, 0), end=(0, 0), dilations=(1, 1), auto_pad="explicit",
                    groups=1, moving=1, mask=False, zeros=False):
    x, w = numbers(2, 4, 5, 6), numbers(2 * groups, 4 // groups, 2, 3, seed=1)
    sizes, starts = [], []
    for length, kernel, stride, dilation, before, behind in zip((5, 6), (2, 3), strides, dilations, begin, end):
        reach = (kernel - 1) * dilation + 1
        if auto_pad.startswith("same"):
            sizes.append(-(-length // stride))
            total = max((sizes[-1] - 1) * stride + reach - length, 0)
            starts.append(total // 2 if auto_pad == "same_upper" else total - total // 2)
        else:
            sizes.append((length + before + behind - reach) // stride + 1)
            starts.append(before)
    inputs = [x, numbers(2, moving * 12, *sizes, seed=2), w]
    if mask:
        inputs.append(numbers(2, moving * 6, *sizes, seed=3, least=0))
    extra = {"bilinear_interpolation_pad": str(zeros).lower()} if opset >= 8 else {}

    def run(x, offsets, w, mask=None):
        out = np.zeros((2, len(w), *sizes))
        offsets = offsets.reshape(2, moving, 2, 3, 2, *sizes)
        mask = np.ones((2, moving, 2, 3, *sizes)) if mask is None else mask.reshape(2, moving, 2, 3, *sizes)
        for n, o, i, j in np.ndindex(*out.shape):
            for c, a, b in np.ndindex(*w.shape[1:]):
                channel = o // 2 * w.shape[1] + c
                own = (n, channel * moving // 4, a, b)
                y = i * strides[0] - starts[0] + a * dilations[0] + offsets[own][0, i, j]
                z = j * strides[1] - starts[1] + b * dilations[1] + offsets[own][1, i, j]
                inside = (-1 < y < 5 and -1 < z < 6) if zeros else (0 <= y < 5 and 0 <= z < 6)
                if inside:
                    out[n, o, i, j] += bilinear(x[n, channel:channel + 1], y, z, zeros)[0] * w[o, c, a, b] * \
                        mask[own][i, j]
        return out

    text = {key: "{},{}".format(*value) for key, value in
            dict(strides=strides, dilations=dilations, pads_begin=begin, pads_end=end).items()}
    op("DeformableConvolution", opset, inputs=tuple(inputs), static=True, name=f"deformable_convolution_{name}",
       auto_pad=auto_pad, group=groups, deformable_group=moving, **text, **extra)(run)


deformable_case("plain", 1)
deformable_case("pads", 1, (2, 1), (1, 0), (0, 2), (1, 2))
deformable_case("groups", 8, groups=2, moving=2, mask=True)
deformable_case("zeros", 8, begin=(1, 1), end=(1, 1), moving=2, zeros=True)
deformable_case("upper", 8, (2, 2), auto_pad="same_upper", mask=True)
deformable_case("lower", 8, groups=2, auto_pad="same_lower")
